import { maxInboxEntries, type InboxEntry, type InboxFilter } from '../../contract/work/inbox.ts';
import { inboxFull } from './inbox-full.ts';

/** The inbox of a session in memory. */
export class MemoryInbox {
  readonly #entries = new Map<string, InboxEntry>();
  /** The ids of held entries, which can no longer be withdrawn. */
  readonly #held = new Set<string>();

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** @throws `INBOX_FULL` */
  add(sessionId: string, entry: InboxEntry): void {
    if (this.#entries.has(entry.id)) return;
    if (this.#entries.size >= maxInboxEntries) throw inboxFull(sessionId);
    this.#entries.set(entry.id, Object.freeze({ ...entry }));
  }

  list({ run, ids, hold }: InboxFilter): readonly InboxEntry[] {
    if (this.#entries.size === 0) return none;
    const entries = [...this.#entries.values()].filter(
      ({ id, after }) => (run === undefined || after !== run) && ids?.includes(id) !== false,
    );
    if (hold === true) for (const { id } of entries) this.#held.add(id);
    return entries;
  }

  remove(id: string): boolean {
    return !this.#held.has(id) && this.#entries.delete(id);
  }

  take(ids: readonly string[]): void {
    for (const id of ids) {
      this.#entries.delete(id);
      this.#held.delete(id);
    }
  }
}

const none: readonly never[] = Object.freeze([]);
