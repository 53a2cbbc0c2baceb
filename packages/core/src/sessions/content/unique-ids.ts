import { wholeMessage, type Message } from '../../contract/messages.ts';

/** The indexes of messages by id, for lists that never change. */
const places = new WeakMap<readonly Message[], ReadonlyMap<string, number>>();

/**
 * Returns the index of the first message with this id, in a list that never changes. The list is indexed on first use.
 */
export function placeOfId(list: readonly Message[], id: string): number | undefined {
  let known = places.get(list);
  if (known === undefined) {
    const made = new Map<string, number>();
    for (const [index, message] of list.entries()) if (!made.has(message.id)) made.set(message.id, index);
    places.set(list, made);
    known = made;
  }
  return known.get(id);
}

/** Replaces the ids of messages whose id is already in use. */
export class UniqueIds {
  readonly #isUsed: (id: string, message: Message) => boolean;
  readonly #newId: () => string;
  readonly #taken = new Set<string>();

  constructor(isUsed: (id: string, message: Message) => boolean, newId: () => string) {
    this.#isUsed = isUsed;
    this.#newId = newId;
  }

  take(message: Message): Message {
    const { id } = message;
    const isFree = !this.#taken.has(id) && !this.#isUsed(id, message);
    const own = isFree ? message : wholeMessage({ ...message, id: this.#newId() });
    this.#taken.add(own.id);
    return own;
  }
}
