import { setTimeout as sleep } from 'node:timers/promises';

import type { Database } from './database.ts';

/** The pause between two batches of notifications, in milliseconds. */
const pauseMs = 10;

/**
 * Notifies other processes of commits after they are done: a notification within a commit would hold a lock of the
 * whole server until the commit is on disk, so that commits could not share a write. Notifications during the pause are
 * sent in one batch. A process that misses one polls.
 */
export class Notifier {
  readonly #database: Database;
  readonly #waiting = new Set<string>();
  #isSending = false;
  #sent = Promise.resolve();

  constructor(database: Database) {
    this.#database = database;
  }

  notify(key: string): void {
    this.#waiting.add(key);
    if (!this.#isSending) void this.#send();
  }

  /** Sends waiting notifications before the database is closed. */
  async close(): Promise<void> {
    // Does not wait long for an unreachable server.
    await Promise.race([this.#sendWaiting(), sleep(1000, undefined, { ref: false })]);
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.size > 0) {
      await this.#sendWaiting();
      await sleep(pauseMs);
    }
    this.#isSending = false;
  }

  #sendWaiting(): Promise<void> {
    this.#sent = this.#sent.then(() => this.#sendNow());
    return this.#sent;
  }

  async #sendNow(): Promise<void> {
    const keys = [...this.#waiting];
    if (keys.length === 0) return;
    this.#waiting.clear();
    try {
      // A lost notification does no harm, so the transaction need not reach the disk.
      await this.#database.often(
        `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, key) FROM unnest($2::text[]) AS key`,
        [this.#database.channel, keys],
      );
    } catch {
      // The server is unreachable; followers poll.
    }
  }
}
