import type { JournalEntry, SessionChange } from '../contract/store.ts';

/**
 * A change of the journal, by key; null drops an entry. Keys never come again: as names of members, V8 would keep a table of
 * them, at a tenth of what a tool call costs.
 */
export type JournalChange = Map<string, JournalEntry | null>;

/** A change of a session until it is sent to its store. */
export interface LiveChange extends Omit<SessionChange, 'journal'> {
  readonly journal?: JournalChange;
}

/** A change of one entry. */
export function journalEntry(key: string, entry: JournalEntry | null): JournalChange {
  return new Map().set(key, entry);
}

/** A change as stores take it. */
export function toStored({ journal, ...change }: LiveChange): SessionChange {
  if (journal === undefined) return change;
  // Without a prototype, V8 keeps it as a dictionary, and does not make a shape for every key.
  const members = Object.create(null) as Record<string, JournalEntry | null>;
  for (const [key, entry] of journal) members[key] = entry;
  return { ...change, journal: members };
}

/** A change that a store was given. */
export function fromStored({ journal, ...change }: SessionChange): LiveChange {
  return journal === undefined ? change : { ...change, journal: new Map(Object.entries(journal)) };
}
