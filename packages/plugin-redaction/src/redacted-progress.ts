import { isShallotError, type JsonValue } from '@shallot/core';
import type { Emit } from '@shallot/core/model';
import { isJsonObject } from '@shallot/core/plugin';

import { ProgressText } from './progress-text.ts';
import type { TextRedaction } from './text-redaction.ts';

/** A piece of progress whose texts are not decided yet. */
interface Waiting {
  readonly data: JsonValue;
  /** The decided texts by key; `''` for a piece that is a string. */
  readonly texts: Map<string, string>;
  readonly keys: readonly string[];
}

/**
 * Redacts the progress of a tool. Texts under the same key of successive pieces may continue each other, so a piece
 * waits until the next one or the end shows that no match extends beyond it.
 */
export class RedactedProgress {
  readonly #redaction: TextRedaction;
  readonly #emit: Emit<JsonValue>;
  readonly #texts = new Map<string, ProgressText>();
  readonly #waiting: Waiting[] = [];
  /** True after a blocked value: nothing more is emitted. */
  #isBlocked = false;

  constructor(redaction: TextRedaction, emit: Emit<JsonValue>) {
    this.#redaction = redaction;
    this.#emit = emit;
  }

  readonly push: Emit<JsonValue> = (data) => this.#unlessBlocked(() => this.#take(data));

  /** Emits everything that is waiting. */
  end(): void | Promise<void> {
    return this.#unlessBlocked(() => {
      for (const [key, text] of this.#texts) this.#settle(key, text.end());
      return this.#sendDecided();
    });
  }

  #take(data: JsonValue): void | Promise<void> {
    const keys = this.#keysOf(data);
    const whole = this.#redaction.json(withoutTexts(data, keys));
    this.#waiting.push({ data: whole, texts: new Map(), keys });
    for (const key of keys) {
      const text = this.#texts.get(key) ?? new ProgressText(this.#redaction);
      this.#texts.set(key, text);
      this.#settle(key, text.push(textAt(data, key)));
    }
    return this.#sendDecided();
  }

  /** Sets the decided texts of waiting pieces, oldest first. */
  #settle(key: string, texts: readonly string[]): void {
    const open = this.#waiting.filter((piece) => piece.keys.includes(key) && !piece.texts.has(key));
    for (const [index, text] of texts.entries()) open[index]?.texts.set(key, text);
  }

  #sendDecided(): void | Promise<void> {
    let pressure: void | Promise<void> = undefined;
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined || first.texts.size < first.keys.length) return pressure;
      this.#waiting.shift();
      pressure = this.#emit(withTexts(first));
    }
  }

  /**
   * Returns the keys of texts that the next piece may continue. Values of keys named like secrets are redacted whole.
   */
  #keysOf(data: JsonValue): readonly string[] {
    if (typeof data === 'string') return [''];
    if (!isJsonObject(data)) return [];
    return Object.keys(data).filter(
      (key) => key !== '' && typeof data[key] === 'string' && !this.#redaction.isSecretKey(key),
    );
  }

  #unlessBlocked(act: () => void | Promise<void>): void | Promise<void> {
    if (this.#isBlocked) return undefined;
    try {
      return act();
    } catch (error) {
      if (!isShallotError(error, 'redaction/BLOCKED')) throw error;
      // The result is withheld for the same reason, which it reports.
      this.#isBlocked = true;
      return undefined;
    }
  }
}

function textAt(data: JsonValue, key: string): string {
  const text = isJsonObject(data) ? data[key] : data;
  return typeof text === 'string' ? text : '';
}

function withoutTexts(data: JsonValue, keys: readonly string[]): JsonValue {
  if (!isJsonObject(data)) return typeof data === 'string' ? '' : data;
  return Object.fromEntries(
    Object.entries(data).map(([key, member]) => [key, keys.includes(key) ? '' : member]),
  );
}

function withTexts({ data, texts }: Waiting): JsonValue {
  if (!isJsonObject(data)) return texts.get('') ?? data;
  return Object.fromEntries(Object.entries(data).map(([key, member]) => [key, texts.get(key) ?? member]));
}
