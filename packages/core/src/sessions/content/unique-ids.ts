import { wholeMessage, type Message } from '../../contract/messages.ts';

interface Lookups {
  scans: number;
  places: ReadonlyMap<string, number> | undefined;
}

/** The lookups in lists that never change. */
const lookups = new WeakMap<readonly Message[], Lookups>();

/**
 * The number of scans that take as long as building an index. In a long session, most turns only look up the id of
 * their input.
 */
const scansBeforeIndex = 8;

/** Returns the index of the first message with this id, in a list that never changes. The list is indexed on repeated use. */
export function placeOfId(list: readonly Message[], id: string): number | undefined {
  let known = lookups.get(list);
  if (known === undefined) lookups.set(list, (known = { scans: 0, places: undefined }));
  if (known.places === undefined && known.scans < scansBeforeIndex) {
    known.scans += 1;
    const place = list.findIndex((message) => message.id === id);
    return place === -1 ? undefined : place;
  }
  known.places ??= placesOf(list);
  return known.places.get(id);
}

function placesOf(list: readonly Message[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [index, message] of list.entries()) if (!places.has(message.id)) places.set(message.id, index);
  return places;
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
