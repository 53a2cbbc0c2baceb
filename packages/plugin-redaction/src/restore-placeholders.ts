import { restoreText, Vault, type Kept } from './originals.ts';
import { sealKey } from './seal-key.ts';

/** The state of a session, as `agent.session(id)` returns it. */
export interface SessionState {
  readonly state: Readonly<Record<string, Readonly<Record<string, { readonly value: unknown }>>>>;
}

/** Options of `restorePlaceholders`: the key that the placeholders were made with. */
export interface RestoreOptions {
  /** The plugin's id. Default: `redaction`. */
  readonly plugin?: string;
  /** The key, as in the options of the plugin. Default: that of `keyFile`, a path relative to the working directory. */
  readonly key?: string;
  readonly keyFile?: string;
}

/**
 * Replaces the placeholders in a string with their values in this session. Values encrypted with another key are not
 * replaced. @throws `KEY_INVALID`
 */
export function restorePlaceholders(
  text: string,
  session: SessionState,
  { plugin = 'redaction', ...source }: RestoreOptions = {},
): string {
  const kept = session.state[plugin]?.['originals']?.value;
  if (kept === undefined) return text;
  const vault = new Vault(sealKey({ ...source, directory: process.cwd() }));
  // Only this plugin writes this state.
  return restoreText(text, (name) => vault.valueOf(kept as Kept, name));
}
