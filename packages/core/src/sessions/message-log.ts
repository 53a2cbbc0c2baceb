import type { Message } from '../contract/messages.ts';

/**
 * A conversation that grows: a list that never changes, which may be shared with whoever has it too, and what came since. Readers
 * get frozen copies. Freezing is done on the copy because V8 freezes a packed array in no time, but copies a frozen one fifty
 * times slower.
 */
export class MessageLog {
  #shared: readonly Message[];
  #added: Message[] = [];
  #view: readonly Message[] | undefined;
  #untouched = Number.POSITIVE_INFINITY;
  #callIds: Set<string> | undefined;

  /** `callIds` are those that tool calls in these messages have had, where they are known. */
  constructor(shared: readonly Message[] = [], callIds?: Set<string>) {
    this.#shared = shared;
    this.#callIds = callIds;
  }

  get length(): number {
    return this.#shared.length + this.#added.length;
  }

  /** The messages as they are now, as a frozen array: the same one until something changes. */
  get view(): readonly Message[] {
    this.#view ??= Object.freeze(this.#shared.concat(this.#added));
    return this.#view;
  }

  /** The messages as they are now, as a list that never changes: whoever has it must not change it either. */
  get shared(): readonly Message[] {
    if (this.#added.length > 0) {
      this.#shared = this.#shared.concat(this.#added);
      this.#added = [];
    }
    return this.#shared;
  }

  /** How many messages from the first one on have never been replaced, at the least; those that were added count. */
  get untouched(): number {
    return Math.min(this.#untouched, this.length);
  }

  /** The ids that tool calls have had, also in messages that were replaced. Put together when they are first asked for, then kept up. */
  get callIds(): Set<string> {
    if (this.#callIds === undefined) {
      this.#callIds = new Set();
      this.#noteCalls(this.#shared);
      this.#noteCalls(this.#added);
    }
    return this.#callIds;
  }

  /** Those that are known without looking for them. */
  get knownCallIds(): Set<string> | undefined {
    return this.#callIds;
  }

  /** The messages from a position on, as an array of the caller's own. */
  copy(from = 0): Message[] {
    const added = from - this.#shared.length;
    return added >= 0 ? this.#added.slice(added) : this.#shared.slice(from).concat(this.#added);
  }

  /** The position of the last message that fits, or -1. */
  findLast(fits: (message: Message) => boolean): number {
    let index = this.length - 1;
    // The index is in range.
    while (index >= 0 && !fits(this.at(index) as Message)) index -= 1;
    return index;
  }

  /** Counted from the end if the index is negative. */
  at(index: number): Message | undefined {
    const place = index < 0 ? index + this.length : index;
    const added = place - this.#shared.length;
    return added >= 0 ? this.#added[added] : this.#shared[place];
  }

  /** Costs what is added, not what is there. */
  append(messages: readonly Message[]): void {
    if (messages.length === 0) return;
    for (const message of messages) this.#added.push(message);
    this.#noteCalls(messages);
    this.#view = undefined;
  }

  /** The messages from `from` up to, not including, `to` become others. @throws `RangeError` */
  replace(from: number, to: number, messages: readonly Message[]): void {
    if (!isRange(from, to, this.length)) {
      throw new RangeError(`Messages ${from} to ${to} of ${this.length} cannot be replaced.`);
    }
    const before = this.shared;
    this.#untouched = Math.min(this.#untouched, from);
    this.#shared = before.slice(0, from).concat(messages, before.slice(to));
    this.#noteCalls(messages);
    this.#view = undefined;
  }

  #noteCalls(messages: readonly Message[]): void {
    if (this.#callIds === undefined) return;
    for (const message of messages) {
      if (message.role !== 'assistant') continue;
      for (const part of message.content) if (part.type === 'tool-call') this.#callIds.add(part.id);
    }
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
