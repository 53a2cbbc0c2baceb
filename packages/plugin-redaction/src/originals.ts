import type { JsonObject, JsonValue, RunInfo } from '@shallot/core';
import { isShallotError } from '@shallot/core';
import type { PluginState } from '@shallot/core/plugin';

import { mapStrings } from './map-strings.ts';
import { placeholder } from './replacements.ts';
import type { SealKey } from './seal-key.ts';

/** The encrypted values of a session, by placeholder. */
export type Kept = Readonly<Record<string, string>>;

/** Placeholders end in letters; those with a number are from before values were encrypted. */
const placeholders = /<[A-Z][A-Z0-9_]*_(?:[B-DF-HJ-NP-TV-XZ]{10}|[1-9]\d{0,8})>/g;

/** The limit for the cache of decrypted values. */
const most = 10_000;

/** Creates placeholders for values, and looks up values by placeholder. */
export interface Originals {
  /** Returns the placeholder of a value; equal values have the same one. */
  readonly placeholderFor: (kind: string, value: string | number) => string;
  /** Returns the value of a placeholder; undefined if it is unknown. */
  readonly valueOf: (placeholder: string) => string | number | undefined;
}

/** The originals of a run. */
export interface RunOriginals extends Originals {
  /**
   * Stores all values that are found during `search` in one change of the state, because each change copies the
   * earlier values.
   */
  readonly together: (search: () => Promise<void>) => Promise<void>;
}

/** Stores the values of placeholders encrypted. */
export class Vault {
  readonly #key: () => SealKey;
  readonly #open = new Map<string, string | number>();

  constructor(key: () => SealKey) {
    this.#key = key;
  }

  /** Returns the originals for input messages: their values are committed together with the messages. */
  forInput(keep: (entries: JsonObject) => void): Originals {
    return {
      placeholderFor: (kind, value) => {
        const name = this.#name(kind, value);
        keep({ [name]: this.#seal(value) });
        return name;
      },
      valueOf: () => undefined,
    };
  }

  /** Returns the originals for a run: its values are stored in the session state. */
  forRun(state: PluginState<Kept>, run: RunInfo): RunOriginals {
    let found: Record<string, string> | undefined;
    const store = (values: Kept): void => state.update(run, (kept) => ({ ...kept, ...values }));
    return {
      placeholderFor: (kind, value) => {
        const name = this.#name(kind, value);
        if (Object.hasOwn(state.get(run), name)) return name;
        if (found === undefined) store({ [name]: this.#seal(value) });
        else if (!Object.hasOwn(found, name)) found[name] = this.#seal(value);
        return name;
      },
      valueOf: (name) => this.valueOf(state.get(run), name),
      async together(search) {
        found = {};
        try {
          await search();
        } finally {
          if (Object.keys(found).length > 0) store(found);
          found = undefined;
        }
      },
    };
  }

  /** Returns the session's values that this process has decrypted, by placeholder. */
  atHand(kept: Kept): readonly (readonly [string, string | number])[] {
    return Object.entries(kept).flatMap(([name, sealed]) => {
      const value = this.#open.get(sealed);
      return value === undefined ? [] : [[name, value] as const];
    });
  }

  /** Returns the reason why a placeholder has no value. */
  reasonOf(kept: Kept, name: string): string {
    const sealed = kept[name];
    if (sealed === undefined) return 'it stands for no value of this session';
    try {
      this.#key().unseal(sealed);
      return 'it has a value';
    } catch (error) {
      return isShallotError(error) ? error.message : String(error);
    }
  }

  #name(kind: string, value: string | number): string {
    return placeholder(kind, this.#key().tagOf(kind, value));
  }

  #seal(value: string | number): string {
    const sealed = this.#key().seal(value);
    this.#remember(sealed, value);
    return sealed;
  }

  /** Returns the value of a session's placeholder; undefined if it is unknown. */
  valueOf(kept: Kept, name: string): string | number | undefined {
    const sealed = Object.hasOwn(kept, name) ? kept[name] : undefined;
    if (sealed === undefined) return undefined;
    const known = this.#open.get(sealed);
    if (known !== undefined) return known;
    const value = opened(this.#key(), sealed);
    if (value !== undefined) this.#remember(sealed, value);
    return value;
  }

  #remember(sealed: string, value: string | number): void {
    if (this.#open.size >= most) this.#open.clear();
    this.#open.set(sealed, value);
  }
}

/** Returns the decrypted value; undefined if it was encrypted with another key. */
function opened(key: SealKey, sealed: string): string | number | undefined {
  try {
    const value = key.unseal(sealed);
    return typeof value === 'string' || typeof value === 'number' ? value : undefined;
  } catch (error) {
    if (isShallotError(error, 'redaction/SEALED')) return undefined;
    throw error;
  }
}

/** Replaces the placeholders in a text with their values; unknown ones stay. */
export function restoreText(text: string, valueOf: Originals['valueOf']): string {
  if (!text.includes('<')) return text;
  return text.replace(placeholders, (name) => String(valueOf(name) ?? name));
}

/**
 * Replaces the placeholders in JSON with their values. A number that was replaced as a whole becomes a number again.
 */
export function restoreJson(value: JsonValue, valueOf: Originals['valueOf']): JsonValue {
  return mapStrings(value, (text, _keys, isNumber) => (isNumber ? text : restoreLeaf(text, valueOf)));
}

function restoreLeaf(text: string, valueOf: Originals['valueOf']): string | number {
  if (!text.startsWith('<')) return restoreText(text, valueOf);
  return valueOf(text) ?? restoreText(text, valueOf);
}

/** Returns the placeholders in a text. */
export function placeholdersIn(text: string): readonly string[] {
  return text.includes('<') ? (text.match(placeholders) ?? []) : [];
}

/** Converts the state of an older session, with plain values by kind, to the current format. */
export function migrateKept(old: JsonValue, key: () => SealKey): Kept {
  const kept: Record<string, string> = {};
  // Only this plugin writes this state.
  for (const [kind, values] of Object.entries(old as Readonly<Record<string, readonly string[]>>)) {
    for (const [index, value] of values.entries())
      kept[placeholder(kind, String(index + 1))] = key().seal(value);
  }
  return kept;
}
