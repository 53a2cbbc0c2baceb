import type { JournalEntry } from '../../contract/store.ts';
import type { JournalEdits } from './change-draft.ts';
import { callOf, callPrefix } from './journal-keys.ts';

type ExecutionEntry = JournalEntry & { type: 'intent' | 'raw' };

/** The journal of an unfinished step: entries by key, with an index by call. */
export class Journal {
  readonly #entries: Map<string, JournalEntry>;
  /** The keys of each call, by prefix; created on first lookup. */
  #calls: Map<string, Set<string>> | undefined;

  constructor(entries: Iterable<readonly [string, JournalEntry]> = []) {
    this.#entries = new Map(entries);
  }

  /** Returns a copy; undefined for an empty journal. */
  fork(): Journal | undefined {
    return this.#entries.size === 0 ? undefined : new Journal(this.#entries);
  }

  get(key: string): JournalEntry | undefined {
    return this.#entries.get(key);
  }

  apply(change: JournalEdits): void {
    for (const { key, entry } of change) {
      if (entry === null) this.#entries.delete(key);
      else this.#entries.set(key, entry);
      if (this.#calls !== undefined) noteKey(this.#calls, key, entry !== null);
    }
  }

  toRecord(): Readonly<Record<string, JournalEntry>> {
    return Object.freeze(Object.fromEntries(this.#entries));
  }

  /** Returns the intent or raw result of each execution of a call, by ordinal, in ascending order. */
  executions(callId: string): Map<number, ExecutionEntry> {
    const prefix = callPrefix(callId);
    const found: [ordinal: number, entry: ExecutionEntry][] = [];
    for (const key of this.#keysOf(callId)) {
      const entry = this.#entries.get(key);
      if (entry?.type === 'intent' || entry?.type === 'raw') {
        found.push([Number(key.slice(prefix.length)), entry]);
      }
    }
    // Stores return journal entries in any order.
    return new Map(found.toSorted(([a], [b]) => a - b));
  }

  lastExecution(callId: string): ExecutionEntry | undefined {
    return [...this.executions(callId).values()].at(-1);
  }

  /** Returns the change that removes all entries; undefined for an empty journal. */
  cleared(): JournalEdits | undefined {
    return this.#entries.size === 0 ? undefined : dropped(this.#entries.keys());
  }

  /** Returns the change that removes all entries of a call in progress. */
  clearedCall(callId: string): JournalEdits {
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

function dropped(keys: Iterable<string>): JournalEdits {
  const change: { key: string; entry: null }[] = [];
  for (const key of keys) change.push({ key, entry: null });
  return change;
}
