import { coreNames, versioned } from '../contract/plugin-names.ts';
import type { ConfiguredPlugins } from '../contract/store.ts';
import type { LiveSession } from '../sessions/live/live-session.ts';
import type { LivePlugins } from './live-plugins.ts';
import type { Signs } from './parts/signs.ts';

/**
 * Returns the plugins that have state in the session but are no longer configured, as their last run knew them; undefined
 * if there are none.
 */
export function gonePlugins(host: LivePlugins, session: LiveSession): ConfiguredPlugins | undefined {
  const ids = session.stateOwners.filter((id) => !coreNames.has(id) && !host.has(id));
  if (ids.length === 0) return undefined;
  return Object.fromEntries(ids.map((id) => [id, session.plugins[id] ?? { name: id }]));
}

/** Warns about plugins that are no longer configured: a limit that silently stopped counting would not be noticed. */
export function warnOfGonePlugins(gone: ConfiguredPlugins, signs: Signs, sessionId: string): void {
  for (const [id, plugin] of Object.entries(gone)) {
    signs.warn(
      'PLUGIN_GONE',
      `The plugin ${versioned(plugin)} has state in session "${sessionId}" but is no longer configured. The run continues without it; its state is kept.`,
      id,
    );
  }
}
