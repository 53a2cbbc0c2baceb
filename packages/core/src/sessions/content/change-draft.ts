import type { JournalEntry, SessionChange } from '../../contract/store.ts';

/**
 * Changes of journal entries; null removes an entry, and the last change of a key wins. A list, because objects with
 * ever-new keys would cost a tenth of a step.
 */
export type JournalEdits = readonly { readonly key: string; readonly entry: JournalEntry | null }[];

/** A change of a session, before it is converted for its store. */
export interface ChangeDraft extends Omit<SessionChange, 'journal'> {
  readonly journal?: JournalEdits;
}

/** Returns the change of one entry. */
export function journalEntry(key: string, entry: JournalEntry | null): JournalEdits {
  return [{ key, entry }];
}

/** Converts a change to the form of the store interface. */
export function toStored({ journal, ...change }: ChangeDraft): SessionChange {
  if (journal === undefined) return change;
  // V8 treats objects without a prototype as dictionaries, and creates no hidden class per key.
  const members = Object.create(null) as Record<string, JournalEntry | null>;
  for (const { key, entry } of journal) members[key] = entry;
  return { ...change, journal: members };
}

/** Converts a change from the form of the store interface. */
export function fromStored({ journal, ...change }: SessionChange): ChangeDraft {
  return journal === undefined
    ? change
    : { ...change, journal: Object.entries(journal).map(([key, entry]) => ({ key, entry })) };
}
