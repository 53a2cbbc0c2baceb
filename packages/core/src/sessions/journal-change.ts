import type { JournalEntry } from '../contract/store.ts';

/**
 * A change of the journal, to be filled. Its keys never come again, so it has no prototype: V8 then keeps it as a
 * dictionary, and does not make a shape for every key.
 */
export function journalChange<T extends JournalEntry | null>(): Record<string, T> {
  // Object.create is typed as giving anything.
  return Object.create(null) as Record<string, T>;
}

/** A change of one entry. */
export function journalEntry<T extends JournalEntry | null>(key: string, entry: T): Record<string, T> {
  const journal = journalChange<T>();
  journal[key] = entry;
  return journal;
}
