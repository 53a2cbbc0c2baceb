import { noteBeginning } from '../../base/is-known-beginning.ts';
import type { Message } from '../../contract/messages.ts';
import { placeOfId } from './unique-ids.ts';

/** The logs that were named for lists of messages. */
const byList = new WeakMap<readonly Message[], MessageLog>();

/**
 * An append-only list of messages. Readers get frozen copies: V8 freezes a packed array fast, but copies a frozen array
 * fifty times slower.
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

  /** Returns a log of the messages in a list that never changes. */
  static of(messages: readonly Message[] = none): MessageLog {
    const many = Object.isFrozen(messages) ? [...messages] : messages;
    return new MessageLog(new MessageTrunk(many), many.length);
  }

  /** Returns the log that was named for this list; undefined if there is none. */
  static named(list: readonly Message[]): MessageLog | undefined {
    return byList.get(list);
  }

  /**
   * Registers this log under a list of the same messages: an empty log to which that list is appended then shares the
   * messages of this log. Neither the log nor the list may change afterwards.
   */
  nameAs(list: readonly Message[]): void {
    byList.set(list, this);
  }

  /** Returns an independent log with the first `length` messages. Both share these messages, so forking is cheap. */
  fork(length = this.#length): MessageLog {
    return new MessageLog(this.#trunk, Math.min(length, this.#length));
  }

  get length(): number {
    return this.#length;
  }

  /** The messages as a frozen array; the same array until something changes. */
  get view(): readonly Message[] {
    if (this.#view !== undefined) return this.#view;
    this.#view = Object.freeze(this.#trunk.slice(0, this.#length));
    if (this.#length >= long) noteBeginning(this.#view, this.#trunk);
    return this.#view;
  }

  /** A lower bound for the number of messages at the start that were never replaced. Appended messages count. */
  get untouched(): number {
    return Math.min(this.#untouched, this.#length);
  }

  /** Returns true if a tool call has had this id, also in replaced messages. The ids are indexed on first use. */
  hasCall(id: string): boolean {
    return this.#trunk.hasCall(id, this.#length);
  }

  /** Returns true if a message has had this id, also a replaced one. */
  hasMessage(id: string): boolean {
    return this.#trunk.hasMessage(id, this.#length);
  }

  /** Returns true if another message has had this message's id. */
  hasOther(message: Message): boolean {
    return this.#trunk.hasOther(message, this.#length);
  }

  /** Indexes the call ids now, which is cheap for messages just added. */
  noteCalls(): void {
    this.#trunk.noteCalls();
  }

  /** The number of indexed call ids. */
  get notedCalls(): number {
    return this.#trunk.notedCalls;
  }

  /** Returns a new array of the messages from a position on. */
  copy(from = 0): Message[] {
    return this.#trunk.slice(from, this.#length);
  }

  /** Returns the index of the last matching message, or -1. */
  findLast(fits: (message: Message) => boolean): number {
    let index = this.#length - 1;
    while (index >= 0 && !fits(this.at(index) as Message)) index -= 1;
    return index;
  }

  /** Returns the message at an index; a negative index counts from the end. */
  at(index: number): Message | undefined {
    const place = index < 0 ? index + this.#length : index;
    return place < this.#length ? this.#trunk.at(place) : undefined;
  }

  /**
   * Appends messages in time proportional to their number. An empty log shares the messages of a list for which `nameAs`
   * registered a log.
   */
  append(messages: readonly Message[]): void {
    if (messages.length === 0) return;
    const begun = this.#length === 0 ? byList.get(messages) : undefined;
    // If this log's messages were all replaced, its trunk still has the ids of their calls, and must be kept.
    const isShared = begun !== undefined && this.#trunk.notedCalls === 0;
    this.#trunk = isShared ? begun.#trunk : this.#trunk.grow(this.#length, messages);
    this.#length += messages.length;
    this.#view = undefined;
  }

  /** Replaces the messages from `from` up to, not including, `to`. @throws `RangeError` */
  replace(from: number, to: number, messages: readonly Message[]): void {
    if (!isRange(from, to, this.#length)) {
      throw new RangeError(`Messages ${from} to ${to} of ${this.#length} cannot be replaced.`);
    }
    this.#untouched = Math.min(this.#untouched, from);
    this.#trunk = this.#trunk.replace(this.#length, from, to, messages);
    this.#length += messages.length - (to - from);
    this.#view = undefined;
  }

  /** Returns the number of messages at the start of a list that are those of this log. */
  countShared(messages: readonly unknown[]): number {
    return this.#trunk.countShared(messages, this.#length);
  }

  /** The number of messages at the start known to be paired; see `MessageTrunk`. */
  get paired(): number {
    return Math.min(this.#trunk.paired, this.#length);
  }

  notePaired(): void {
    this.#trunk.notePaired(this.#length);
  }
}

/**
 * Messages shared by forked logs, each of which uses a number of them from the start. The log that appends first
 * extends the trunk; a log that differs from there on gets a branch. Messages are in two lists, so that neither
 * appending nor branching copies the longer one.
 */
class MessageTrunk {
  /** Never modified, since branches share it. */
  #many: readonly Message[];
  #added: Message[];
  /**
   * The ids of tool calls, each with the index of the first message that has it, or with -1 if the call was known
   * before a replacement; complete for the first `#noted` messages.
   */
  #calls: Map<string, number> | undefined;
  #noted: number;
  #paired: number;
  /** The ids of the first `#notedIds` messages of `#added`, with their indexes. */
  #ids: Map<string, number> | undefined;
  #notedIds = 0;
  /** The ids of replaced messages. Shared between branches, since replaced messages never return. */
  #gone: Set<string> | undefined;

  /** `many` must never be modified. */
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

  /** Returns a new array of the messages from one index up to another. */
  slice(from: number, to: number): Message[] {
    const many = this.#many;
    if (from >= many.length) return this.#added.slice(from - many.length, to - many.length);
    if (to <= many.length) return many.slice(from, to);
    const added = to === this.length ? this.#added : this.#added.slice(0, to - many.length);
    return from === 0 ? many.concat(added) : many.slice(from).concat(added);
  }

  /** Returns the number of messages at the start of a list that equal those here; compares at most `most`. */
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

  /**
   * Returns the trunk in which `messages` follow the first `length` ones: this trunk, unless it continues with other
   * messages.
   */
  grow(length: number, messages: readonly Message[]): MessageTrunk {
    const own = this.#many.length + this.#added.length;
    let same = 0;
    while (same < messages.length && length + same < own && this.at(length + same) === messages[same]) {
      same += 1;
    }
    if (same < messages.length && length + same < own) return this.#branch(length).grow(length, messages);
    for (; same < messages.length; same += 1) this.#added.push(messages[same] as Message);
    if (this.#added.length > fewest && this.#added.length > this.#many.length / 8) {
      this.#many = this.#many.concat(this.#added);
      this.#added = [];
      this.#ids = undefined;
    }
    return this;
  }

  /**
   * Returns a trunk in which other messages replace the messages `from` up to `to` of the first `length`. The ids of all
   * tool calls remain known.
   */
  replace(length: number, from: number, to: number, messages: readonly Message[]): MessageTrunk {
    this.noteCalls();
    const replaced = this.slice(0, from).concat(messages, this.slice(to, length));
    // The index -1 is before the first message, so these calls stay known however few messages a fork takes.
    const calls = this.#callsUntil(length, () => -1);
    const trunk = new MessageTrunk(replaced, [], calls, 0, Math.min(this.#paired, from));
    trunk.#gone = this.#gone;
    if (from < to) trunk.#gone ??= new Set();
    for (const { id } of this.slice(from, to)) trunk.#gone?.add(id);
    return trunk;
  }

  /** Returns true if one of the first `length` messages, or a message that these replaced, has this id. */
  hasMessage(id: string, length: number): boolean {
    return this.#gone?.has(id) === true || this.#find(id, length) !== undefined;
  }

  hasOther(message: Message, length: number): boolean {
    const found = this.#find(message.id, length);
    return found === undefined ? this.#gone?.has(message.id) === true : found !== message;
  }

  #find(id: string, length: number): Message | undefined {
    const place = placeOfId(this.#many, id) ?? this.#placeOfAdded(id);
    return place === undefined || place >= length ? undefined : this.at(place);
  }

  #placeOfAdded(id: string): number | undefined {
    const many = this.#many.length;
    if (this.#ids === undefined) {
      this.#ids = new Map();
      this.#notedIds = 0;
    }
    for (; this.#notedIds < this.#added.length; this.#notedIds += 1) {
      const message = this.#added[this.#notedIds];
      if (message !== undefined && !this.#ids.has(message.id))
        this.#ids.set(message.id, many + this.#notedIds);
    }
    return this.#ids.get(id);
  }

  /** Returns true if a tool call in the first `length` messages, or in messages that these replaced, has this id. */
  hasCall(id: string, length: number): boolean {
    this.noteCalls();
    return (this.#calls?.get(id) ?? length) < length;
  }

  /** Indexes the call ids of messages added since the last time. */
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

  /** The number of indexed call ids. */
  get notedCalls(): number {
    return this.#calls?.size ?? 0;
  }

  /** The number of messages at the start known to be paired: each tool call is followed by its one result. */
  get paired(): number {
    return this.#paired;
  }

  notePaired(length: number): void {
    this.#paired = Math.max(this.#paired, length);
  }

  /** Returns the ids of calls in the first `length` messages, with mapped indexes. */
  #callsUntil(length: number, move: (position: number) => number): Map<string, number> | undefined {
    if (this.#calls === undefined) return undefined;
    const calls = new Map<string, number>();
    for (const [id, position] of this.#calls) if (position < length) calls.set(id, move(position));
    return calls;
  }

  /** Returns a copy of the first `length` messages, to be extended differently. */
  #branch(length: number): MessageTrunk {
    const many = length < this.#many.length ? this.#many.slice(0, length) : this.#many;
    const added = this.#added.slice(0, length - many.length);
    const trunk = new MessageTrunk(
      many,
      added,
      this.#callsUntil(length, (position) => position),
      Math.min(this.#noted, length),
      Math.min(this.#paired, length),
    );
    trunk.#gone = this.#gone;
    return trunk;
  }
}

const none: readonly Message[] = [];

/** Lists shorter than this are compared faster than they are looked up. */
const long = 100;

/** The minimum number of added messages before they are merged into the longer list. */
const fewest = 64;

/** Returns true for a valid range within this length. */
export function isRange(from: number, to: number, length: number): boolean {
  return Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0 && from <= to && to <= length;
}

/** Returns the range in which a list differs from another: everything from `from` on, except the last `tail` items. */
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
