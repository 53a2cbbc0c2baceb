import { isKnownBeginning } from '../base/is-known-beginning.ts';
import type { Message } from '../contract/messages.ts';

/** The value of the messages at the beginning of a list. */
export interface BeginningValue<T> {
  /** The number of these messages. */
  readonly length: number;
  readonly value: T;
}

interface Handled<T> extends BeginningValue<T> {
  /** Held weakly, so that messages that a summary has replaced can be collected. */
  readonly messages: WeakRef<readonly Message[]>;
}

/**
 * Computes values of lists of messages that grow, such as the history in each request of a conversation. If a list begins
 * with the latest list that had the same first message, only its new messages are handled; the others are compared, which
 * takes some nanoseconds each. Once that list is no longer in use, the next one is handled from its first message on.
 */
export class GrowingMessages<T> {
  readonly #latest = new WeakMap<Message, Handled<T>>();

  /**
   * Returns the value of a list. `add` computes it from the value of the messages before, undefined at first, and from
   * the messages that come next. It may be called twice for one list.
   */
  of(messages: readonly Message[], add: (before: T | undefined, added: readonly Message[]) => T): T {
    const { length, value } = this.find(messages) ?? { length: 0, value: undefined };
    const end = finalEnd(messages, length);
    let made = value;
    if (end > length) {
      made = add(value, messages.slice(length, end));
      this.#remember(messages, end, made);
    }
    return end === messages.length && made !== undefined ? made : add(made, messages.slice(end));
  }

  /** Returns the value that is kept for the beginning of this list; undefined if there is none. */
  find(messages: readonly Message[]): BeginningValue<T> | undefined {
    const known = messages[0] && this.#latest.get(messages[0]);
    return known !== undefined && isBeginning(known, messages) ? known : undefined;
  }

  /**
   * Keeps the value of a list, unless one of its messages may still change. The first `known` of them, which `find` has
   * found, are not checked again.
   */
  keep(messages: readonly Message[], value: T, known = 0): void {
    if (finalEnd(messages, known) === messages.length) this.#remember(messages, messages.length, value);
  }

  #remember(messages: readonly Message[], length: number, value: T): void {
    const [first] = messages;
    // A list that somebody may still change is copied.
    const kept = Object.isFrozen(messages) ? messages : messages.slice(0, length);
    if (first !== undefined) this.#latest.set(first, { messages: new WeakRef(kept), length, value });
  }
}

/** Returns the index of the first message from an index on that is not frozen, so that it may change; else the length. */
function finalEnd(messages: readonly Message[], from: number): number {
  let end = from;
  while (end < messages.length && Object.isFrozen(messages[end])) end += 1;
  return end;
}

function isBeginning({ messages: known, length }: Handled<unknown>, messages: readonly Message[]): boolean {
  const before = known.deref();
  if (before === undefined || messages.length < length) return false;
  if (isKnownBeginning(before, length, messages)) return true;
  // Compared backwards, because lists that differ mostly differ at their ends.
  for (let index = length - 1; index >= 0; index -= 1) if (before[index] !== messages[index]) return false;
  return true;
}
