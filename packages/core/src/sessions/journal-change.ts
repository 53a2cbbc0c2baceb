import type { JournalEntry, SessionChange } from '../contract/store.ts';

/**
 * What becomes of entries of the journal, null for none; of two with one key the later holds. Keys never come again: as names
 * of members, they would cost a tenth of a step.
 */
export type JournalChange = readonly { readonly key: string; readonly entry: JournalEntry | null }[];

/** A change of a session until it is sent to its store. */
export interface LiveChange extends Omit<SessionChange, 'journal'> {
  readonly journal?: JournalChange;
}

/** A change of one entry. */
export function journalEntry(key: string, entry: JournalEntry | null): JournalChange {
  return [{ key, entry }];
}

/** A change as stores take it. */
export function toStored({ journal, ...change }: LiveChange): SessionChange {
  if (journal === undefined) return change;
  // Without a prototype, V8 keeps it as a dictionary, and does not make a shape for every key.
  const members = Object.create(null) as Record<string, JournalEntry | null>;
  for (const { key, entry } of journal) members[key] = entry;
  return { ...change, journal: members };
}

/** A change that a store was given. */
export function fromStored({ journal, ...change }: SessionChange): LiveChange {
  return journal === undefined
    ? change
    : { ...change, journal: Object.entries(journal).map(([key, entry]) => ({ key, entry })) };
}
