import type { JsonValue, RunInfo } from '@shallot/core';
import type { PluginState } from '@shallot/core/plugin';

import { mapStrings } from './map-strings.ts';
import { placeholder } from './replacements.ts';

/** The values behind a session's placeholders, by kind: the first of `email` is that of `<EMAIL_1>`. */
export type Kept = Readonly<Record<string, readonly string[]>>;

const placeholders = /<([A-Z][A-Z0-9_]*)_([1-9]\d{0,8})>/g;

/** The originals of a session, kept in its state. */
export class Originals {
  readonly #state: PluginState<Kept>;
  readonly #run: RunInfo;

  constructor(state: PluginState<Kept>, run: RunInfo) {
    this.#state = state;
    this.#run = run;
  }

  /** The placeholder of a value: the same one for the same value. */
  placeholderFor(kind: string, value: string): string {
    const known = this.#state.get(this.#run)[kind] ?? [];
    const at = known.indexOf(value);
    if (at !== -1) return placeholder(kind, at + 1);
    this.#state.update(this.#run, (kept) => ({ ...kept, [kind]: [...(kept[kind] ?? []), value] }));
    return placeholder(kind, known.length + 1);
  }

  restore(text: string): string {
    return restoreText(text, this.#state.get(this.#run));
  }

  restoreJson(value: JsonValue): JsonValue {
    return mapStrings(value, (text) => this.restore(text));
  }
}

/** A text with the originals in place of their placeholders; what is no placeholder of theirs stays. */
export function restoreText(text: string, kept: Kept): string {
  if (!text.includes('<')) return text;
  const names = new Map(Object.keys(kept).map((kind) => [placeholder(kind, 1).slice(1, -3), kind]));
  return text.replace(placeholders, (all, name: string, number: string) => {
    const kind = names.get(name);
    return (kind === undefined ? undefined : kept[kind]?.[Number(number) - 1]) ?? all;
  });
}
