import type { Message } from '../contract/messages.ts';

/**
 * A conversation that grows: the array that is changed stays private, and readers get frozen copies of it. Freezing is
 * done on the copy because V8 freezes a packed array in no time, but copies a frozen one fifty times slower.
 */
export class MessageLog {
  readonly #messages: Message[];
  #view: readonly Message[] | undefined;
  #untouched = Number.POSITIVE_INFINITY;

  /** Takes the array over: whoever gives it must not change it any more. */
  constructor(own: Message[] = []) {
    this.#messages = own;
  }

  get length(): number {
    return this.#messages.length;
  }

  /** The messages as they are now, as a frozen array: the same one until something changes. */
  get view(): readonly Message[] {
    this.#view ??= Object.freeze(this.#messages.slice());
    return this.#view;
  }

  /** How many messages from the first one on have never been replaced, at the least; those that were added count. */
  get untouched(): number {
    return Math.min(this.#untouched, this.length);
  }

  /** The array itself, for those who only read it, and not while it changes. */
  get own(): Message[] {
    return this.#messages;
  }

  /** The messages from a position on, as an array of the caller's own. */
  copy(from = 0): Message[] {
    return this.#messages.slice(from);
  }

  /** The position of the last message that fits, or -1. */
  findLast(fits: (message: Message) => boolean): number {
    return this.#messages.findLastIndex(fits);
  }

  at(index: number): Message | undefined {
    return this.#messages.at(index);
  }

  /** Costs what is added, not what is there. */
  append(messages: readonly Message[]): void {
    if (messages.length === 0) return;
    for (const message of messages) this.#messages.push(message);
    this.#view = undefined;
  }

  /** The messages from `from` up to, not including, `to` become others. @throws `RangeError` */
  replace(from: number, to: number, messages: readonly Message[]): void {
    if (!isRange(from, to, this.length)) {
      throw new RangeError(`Messages ${from} to ${to} of ${this.length} cannot be replaced.`);
    }
    this.#untouched = Math.min(this.#untouched, from);
    const after = this.#messages.slice(to);
    this.#messages.length = from;
    for (const message of messages) this.#messages.push(message);
    for (const message of after) this.#messages.push(message);
    this.#view = undefined;
  }
}

/** Whether `from` and `to` are the ends of a part of something that is so long. */
export function isRange(from: number, to: number, length: number): boolean {
  return Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0 && from <= to && to <= length;
}

/** What of a list differs from another: all from `from` on, but for the last `tail` items. */
export function changedRange(
  old: readonly unknown[],
  list: readonly unknown[],
): { readonly from: number; readonly tail: number } {
  const most = Math.min(old.length, list.length);
  let from = 0;
  while (from < most && old[from] === list[from]) from += 1;
  let tail = 0;
  while (tail < most - from && old[old.length - 1 - tail] === list[list.length - 1 - tail]) tail += 1;
  return { from, tail };
}
