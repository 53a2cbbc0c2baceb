import { setTimeout as sleep } from 'node:timers/promises';

import type { Database } from './database.ts';

/** Between two bundles of notifications, in milliseconds. */
const pauseMs = 10;

/**
 * Tells other processes of commits, after them: a notification within a commit would hold a lock of the whole server
 * until the commit is on the disk, so that no two commits could share a write to it. What comes during the pause after a
 * notification goes out together. Whoever misses one looks at intervals.
 */
export class Notifier {
  readonly #database: Database;
  /** Digests of sessions, in hexadecimal digits. */
  readonly #waiting = new Set<string>();
  #isSending = false;
  #sent = Promise.resolve();

  constructor(database: Database) {
    this.#database = database;
  }

  notify(digest: Buffer): void {
    this.#waiting.add(digest.toString('hex'));
    if (!this.#isSending) void this.#send();
  }

  /** Sends what is waiting, before the database is closed. */
  async close(): Promise<void> {
    // A server that is away is not waited for.
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
    const digests = [...this.#waiting];
    if (digests.length === 0) return;
    this.#waiting.clear();
    try {
      // Nothing is lost with a notification, so nobody waits for the disk.
      await this.#database.query(
        `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, digest) FROM unnest($2::text[]) AS digest`,
        [this.#database.channel, digests],
      );
    } catch {
      // The server is away: followers look at intervals.
    }
  }
}
