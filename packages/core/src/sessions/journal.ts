import type { JournalEntry } from '../contract/store.ts';
import { journalChange } from './journal-change.ts';
import { callOf, callPrefix } from './journal-keys.ts';

/** What is known of an unfinished step, by key. What belongs to a call is found without looking at that of others. */
export class Journal {
  readonly #entries = new Map<string, JournalEntry>();
  /** The keys of each call, by how they begin. */
  readonly #calls = new Map<string, Set<string>>();

  constructor(entries: Readonly<Record<string, JournalEntry>> = {}) {
    this.apply(entries);
  }

  get(key: string): JournalEntry | undefined {
    return this.#entries.get(key);
  }

  apply(change: Readonly<Record<string, JournalEntry | null>>): void {
    for (const key of Object.keys(change)) {
      const entry = change[key];
      if (entry) this.#set(key, entry);
      else this.#delete(key);
    }
  }

  toRecord(): Readonly<Record<string, JournalEntry>> {
    return Object.fromEntries(this.#entries);
  }

  /** What is journalled of the last execution of a call: that it began, or what came of it. */
  lastExecution(callId: string): (JournalEntry & { type: 'intent' | 'raw' }) | undefined {
    const prefix = callPrefix(callId);
    let last: (JournalEntry & { type: 'intent' | 'raw' }) | undefined;
    let latest = 0;
    for (const key of this.#calls.get(prefix) ?? []) {
      const entry = this.#entries.get(key);
      if (entry?.type !== 'intent' && entry?.type !== 'raw') continue;
      // Stores give the journal in any order.
      const ordinal = Number(key.slice(prefix.length));
      if (ordinal > latest) [last, latest] = [entry, ordinal];
    }
    return last;
  }

  /** The change that drops all entries; undefined when there are none. */
  cleared(): Record<string, null> | undefined {
    return this.#entries.size === 0 ? undefined : dropped(this.#entries.keys());
  }

  /** The change that drops what is journalled of a call on its way. */
  clearedCall(callId: string): Record<string, null> {
    return dropped(this.#calls.get(callPrefix(callId)) ?? []);
  }

  #set(key: string, entry: JournalEntry): void {
    this.#entries.set(key, entry);
    const call = callOf(key);
    if (call === undefined) return;
    const keys = this.#calls.get(call);
    if (keys === undefined) this.#calls.set(call, new Set([key]));
    else keys.add(key);
  }

  #delete(key: string): void {
    this.#entries.delete(key);
    const call = callOf(key);
    if (call === undefined) return;
    const keys = this.#calls.get(call);
    keys?.delete(key);
    if (keys?.size === 0) this.#calls.delete(call);
  }
}

function dropped(keys: Iterable<string>): Record<string, null> {
  const change = journalChange<null>();
  for (const key of keys) change[key] = null;
  return change;
}
