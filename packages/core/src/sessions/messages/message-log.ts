import type { Message } from '../../contract/messages.ts';

/** The logs that hold the messages of a list, by the list. */
const byList = new WeakMap<readonly Message[], MessageLog>();

/**
 * A conversation that grows. Readers get frozen copies: freezing is done on the copy because V8 freezes a packed array in no
 * time, but copies a frozen one fifty times slower.
 */
export class MessageLog {
  #trunk: MessageTrunk;
  #length: number;
  #view: readonly Message[] | undefined;
  #untouched = Number.POSITIVE_INFINITY;

  private constructor(trunk: MessageTrunk, length: number) {
    this.#trunk = trunk;
    this.#length = length;
  }

  /** Of messages in a list that never changes. */
  static of(messages: readonly Message[] = none): MessageLog {
    const many = Object.isFrozen(messages) ? [...messages] : messages;
    return new MessageLog(new MessageTrunk(many), many.length);
  }

  /** The log that was named as the one that holds the messages of a list. */
  static named(list: readonly Message[]): MessageLog | undefined {
    return byList.get(list);
  }

  /** This log holds the messages of a list, neither of which changes any more: a log that begins with the list shares its messages. */
  nameAs(list: readonly Message[]): void {
    byList.set(list, this);
  }

  /** Another log with the same messages, that goes its own way from here on. Costs nothing: what they have in common is shared. */
  fork(length = this.#length): MessageLog {
    return new MessageLog(this.#trunk, Math.min(length, this.#length));
  }

  get length(): number {
    return this.#length;
  }

  /** The messages as they are now, as a frozen array: the same one until something changes. */
  get view(): readonly Message[] {
    this.#view ??= Object.freeze(this.copy());
    return this.#view;
  }

  /** How many messages from the first one on have never been replaced, at the least; those that were added count. */
  get untouched(): number {
    return Math.min(this.#untouched, this.#length);
  }

  /** Whether a tool call has had this id, also in messages that were replaced. Looked for when it is first asked, then kept up. */
  hasCall(id: string): boolean {
    return this.#trunk.hasCall(id, this.#length);
  }

  /** Looks for the ids of calls now: in what was just added that costs little. */
  noteCalls(): void {
    this.#trunk.noteCalls();
  }

  /** How many ids of calls are kept. */
  get notedCalls(): number {
    return this.#trunk.notedCalls;
  }

  /** The messages from a position on, as an array of the caller's own. */
  copy(from = 0): Message[] {
    return this.#trunk.slice(from, this.#length);
  }

  /** The position of the last message that fits, or -1. */
  findLast(fits: (message: Message) => boolean): number {
    let index = this.#length - 1;
    // The index is in range.
    while (index >= 0 && !fits(this.at(index) as Message)) index -= 1;
    return index;
  }

  /** Counted from the end if the index is negative. */
  at(index: number): Message | undefined {
    const place = index < 0 ? index + this.#length : index;
    return place < this.#length ? this.#trunk.at(place) : undefined;
  }

  /** Costs what is added, not what is there; a long list that was completed here, with which a log begins, costs nothing. */
  append(messages: readonly Message[]): void {
    if (messages.length === 0) return;
    const isNew = this.#length === 0 && this.#trunk.notedCalls === 0;
    const begun = isNew ? MessageLog.named(messages) : undefined;
    this.#trunk = begun === undefined ? this.#trunk.grow(this.#length, messages) : begun.#trunk;
    this.#length += messages.length;
    this.#view = undefined;
  }

  /** The messages from `from` up to, not including, `to` become others. @throws `RangeError` */
  replace(from: number, to: number, messages: readonly Message[]): void {
    if (!isRange(from, to, this.#length)) {
      throw new RangeError(`Messages ${from} to ${to} of ${this.#length} cannot be replaced.`);
    }
    this.#untouched = Math.min(this.#untouched, from);
    this.#trunk = this.#trunk.replace(this.#length, from, to, messages);
    this.#length += messages.length - (to - from);
    this.#view = undefined;
  }

  /** How many of a list's messages from the first one on are those of this log. */
  countShared(messages: readonly unknown[]): number {
    return this.#trunk.countShared(messages, this.#length);
  }

  /** See the trunk. */
  get paired(): number {
    return Math.min(this.#trunk.paired, this.#length);
  }

  notePaired(): void {
    this.#trunk.notePaired(this.#length);
  }
}

/**
 * Messages of which there are only ever more. Logs that begin alike share one, and each knows how many of its messages are
 * its own: who comes first adds what others find there. They are in two lists, so that neither adding to many nor going
 * another way from there copies them.
 */
class MessageTrunk {
  /** Never changes: it may be shared. */
  #many: readonly Message[];
  #added: Message[];
  /** The ids that tool calls have had, with the position of the first message that has it, up to the `#noted` one. */
  #calls: Map<string, number> | undefined;
  #noted: number;
  #paired: number;

  /** `many` never changes. */
  constructor(
    many: readonly Message[],
    added: Message[] = [],
    calls?: Map<string, number>,
    noted = 0,
    paired = 0,
  ) {
    this.#many = many;
    this.#added = added;
    this.#calls = calls;
    this.#noted = noted;
    this.#paired = paired;
  }

  get length(): number {
    return this.#many.length + this.#added.length;
  }

  at(index: number): Message | undefined {
    const added = index - this.#many.length;
    return added < 0 ? this.#many[index] : this.#added[added];
  }

  /** The messages from one position up to another one, as an array of the caller's own. */
  slice(from: number, to: number): Message[] {
    const many = this.#many;
    if (from >= many.length) return this.#added.slice(from - many.length, to - many.length);
    if (to <= many.length) return many.slice(from, to);
    const added = to === this.length ? this.#added : this.#added.slice(0, to - many.length);
    return from === 0 ? many.concat(added) : many.slice(from).concat(added);
  }

  /** How many of a list's messages from the first one on are those from here, of which `most` are looked at. */
  countShared(messages: readonly unknown[], most: number): number {
    const many = this.#many;
    const end = Math.min(messages.length, most);
    const endOfMany = Math.min(end, many.length);
    let count = 0;
    while (count < endOfMany && messages[count] === many[count]) count += 1;
    if (count < many.length) return count;
    while (count < end && messages[count] === this.at(count)) count += 1;
    return count;
  }

  /** The trunk that goes on with other messages after the first `length` ones: this one, if nothing else follows them here. */
  grow(length: number, messages: readonly Message[]): MessageTrunk {
    const own = this.length;
    let same = 0;
    while (same < messages.length && length + same < own && this.at(length + same) === messages[same]) {
      same += 1;
    }
    if (same < messages.length && length + same < own) return this.#branch(length).grow(length, messages);
    // The index is in range.
    for (; same < messages.length; same += 1) this.#added.push(messages[same] as Message);
    if (this.#added.length > fewest && this.#added.length > this.#many.length / 8) {
      this.#many = this.#many.concat(this.#added);
      this.#added = [];
    }
    return this;
  }

  /** The trunk in which the messages from `from` up to `to`, of the first `length` ones, are others. The ids of their calls stay known. */
  replace(length: number, from: number, to: number, messages: readonly Message[]): MessageTrunk {
    this.noteCalls();
    const replaced = this.slice(0, from).concat(messages, this.slice(to, length));
    const calls = this.#callsUntil(length, () => 0);
    return new MessageTrunk(replaced, [], calls, 0, Math.min(this.#paired, from));
  }

  /** Whether a tool call had this id in the first `length` messages, or in one that these were put in the place of. */
  hasCall(id: string, length: number): boolean {
    this.noteCalls();
    return (this.#calls?.get(id) ?? length) < length;
  }

  /** Looks for the ids of calls in the messages that were added since it last did. */
  noteCalls(): void {
    for (; this.#noted < this.length; this.#noted += 1) {
      const message = this.at(this.#noted);
      if (message?.role !== 'assistant') continue;
      for (const part of message.content) {
        if (part.type !== 'tool-call') continue;
        this.#calls ??= new Map();
        if (!this.#calls.has(part.id)) this.#calls.set(part.id, this.#noted);
      }
    }
  }

  /** How many ids of calls have been looked for and found. */
  get notedCalls(): number {
    return this.#calls?.size ?? 0;
  }

  /**
   * How many messages from the first one on are known to be the beginning of a list in which each call has its one result where
   * it belongs.
   */
  get paired(): number {
    return this.#paired;
  }

  notePaired(length: number): void {
    this.#paired = Math.max(this.#paired, length);
  }

  /** The ids of calls in the first `length` messages, each with another position. */
  #callsUntil(length: number, move: (position: number) => number): Map<string, number> | undefined {
    if (this.#calls === undefined) return undefined;
    const calls = new Map<string, number>();
    for (const [id, position] of this.#calls) if (position < length) calls.set(id, move(position));
    return calls;
  }

  /** The first `length` messages, to go on with others. */
  #branch(length: number): MessageTrunk {
    const many = length < this.#many.length ? this.#many.slice(0, length) : this.#many;
    const added = this.#added.slice(0, length - many.length);
    return new MessageTrunk(
      many,
      added,
      this.#callsUntil(length, (position) => position),
      Math.min(this.#noted, length),
      Math.min(this.#paired, length),
    );
  }
}

const none: readonly Message[] = [];

/** So many are added before they are put together with the others. */
const fewest = 64;

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
