import { coreNames, versioned } from '../contract/plugin-names.ts';
import type { RunRecord } from '../contract/store.ts';
import type { LiveSession } from '../sessions/live-session.ts';
import type { LivePlugins } from './live-plugins.ts';

/** The plugins that have state in a session and are not there any more, as the last run knew them; undefined for none. */
export function gonePlugins(host: LivePlugins, session: LiveSession): RunRecord['plugins'] | undefined {
  const ids = session.stateOwners.filter((id) => !coreNames.has(id) && !host.has(id));
  if (ids.length === 0) return undefined;
  return Object.fromEntries(ids.map((id) => [id, session.lastRun?.plugins[id] ?? { name: id }]));
}

/** A run that has lost plugins. */
interface LessenedRun {
  readonly session: LiveSession;
  readonly gonePlugins: RunRecord['plugins'] | undefined;
  warn(code: string, message: string, plugin: string): void;
}

/** A limit whose counter nobody reads any more would be missed by nobody. */
export function warnOfGonePlugins(run: LessenedRun): void {
  for (const [id, plugin] of Object.entries(run.gonePlugins ?? {})) {
    run.warn(
      'PLUGIN_GONE',
      `The plugin ${versioned(plugin)} has state in session "${run.session.id}" but is no longer configured. The run continues without it; its state is kept.`,
      id,
    );
  }
}
