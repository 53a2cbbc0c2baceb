import type { JournalEntry } from '../contract/store.ts';
import type { JournalChange } from './journal-change.ts';
import { callOf, callPrefix } from './journal-keys.ts';

/** What is known of an unfinished step, by key. What belongs to a call is found without looking at that of others. */
export class Journal {
  readonly #entries: Map<string, JournalEntry>;
  /** The keys of each call, by how they begin; put together when it is first asked for them. */
  #calls: Map<string, Set<string>> | undefined;

  constructor(entries: Readonly<Record<string, JournalEntry>> = {}) {
    this.#entries = new Map(Object.entries(entries));
  }

  get(key: string): JournalEntry | undefined {
    return this.#entries.get(key);
  }

  apply(change: JournalChange): void {
    for (const { key, entry } of change) {
      if (entry === null) this.#entries.delete(key);
      else this.#entries.set(key, entry);
      if (this.#calls !== undefined) noteKey(this.#calls, key, entry !== null);
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
    for (const key of this.#keysOf(callId)) {
      const entry = this.#entries.get(key);
      if (entry?.type !== 'intent' && entry?.type !== 'raw') continue;
      // Stores give the journal in any order.
      const ordinal = Number(key.slice(prefix.length));
      if (ordinal > latest) [last, latest] = [entry, ordinal];
    }
    return last;
  }

  /** The change that drops all entries; undefined when there are none. */
  cleared(): JournalChange | undefined {
    return this.#entries.size === 0 ? undefined : dropped(this.#entries.keys());
  }

  /** The change that drops what is journalled of a call on its way. */
  clearedCall(callId: string): JournalChange {
    return dropped(this.#keysOf(callId));
  }

  #keysOf(callId: string): Iterable<string> {
    if (this.#calls === undefined) {
      this.#calls = new Map();
      for (const key of this.#entries.keys()) noteKey(this.#calls, key, true);
    }
    return this.#calls.get(callPrefix(callId)) ?? [];
  }
}

function noteKey(calls: Map<string, Set<string>>, key: string, isThere: boolean): void {
  const call = callOf(key);
  if (call === undefined) return;
  const keys = calls.get(call);
  if (!isThere) {
    keys?.delete(key);
    if (keys?.size === 0) calls.delete(call);
  } else if (keys === undefined) calls.set(call, new Set([key]));
  else keys.add(key);
}

function dropped(keys: Iterable<string>): JournalChange {
  const change: { key: string; entry: null }[] = [];
  for (const key of keys) change.push({ key, entry: null });
  return change;
}
