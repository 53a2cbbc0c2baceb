import type { Kept } from './originals.ts';
import { restoreText } from './originals.ts';

/** What of a session is needed: `agent.session(id)` gives it. */
export interface SessionState {
  readonly state: Readonly<Record<string, Readonly<Record<string, { readonly value: unknown }>>>>;
}

/** A text with the values that its placeholders stand for in this session; `plugin` is the plugin's id. */
export function restorePlaceholders(text: string, session: SessionState, plugin = 'redaction'): string {
  const kept = session.state[plugin]?.['originals']?.value;
  // The plugin alone writes it.
  return kept === undefined ? text : restoreText(text, kept as Kept);
}
