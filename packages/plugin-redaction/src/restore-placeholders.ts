import type { Kept } from './originals.ts';
import { restoreText } from './originals.ts';

/** The state of a session, as `agent.session(id)` returns it. */
export interface SessionState {
  readonly state: Readonly<Record<string, Readonly<Record<string, { readonly value: unknown }>>>>;
}

/**
 * Replaces the placeholders in a string with the values they stand for in this session. `plugin` is the plugin's id.
 * Default: `redaction`.
 */
export function restorePlaceholders(text: string, session: SessionState, plugin = 'redaction'): string {
  const kept = session.state[plugin]?.['originals']?.value;
  // The plugin alone writes it.
  return kept === undefined ? text : restoreText(text, kept as Kept);
}
