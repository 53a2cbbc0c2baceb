import type { Database } from './database.ts';

/**
 * Tells other processes of commits, after them: a notification within a commit would hold a lock of the whole server
 * until the commit is on the disk, so that no two commits could share a write to it. What comes while one is under way goes
 * out together. Whoever misses one looks at intervals.
 */
export class Notifier {
  readonly #database: Database;
  /** Digests of sessions, in hexadecimal digits. */
  readonly #waiting = new Set<string>();
  #sending: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  notify(digest: Buffer): void {
    this.#waiting.add(digest.toString('hex'));
    this.#sending ??= this.#send();
  }

  /** Resolves when all have been sent. */
  async sent(): Promise<void> {
    await this.#sending;
  }

  async #send(): Promise<void> {
    while (this.#waiting.size > 0) {
      const digests = [...this.#waiting];
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
    this.#sending = undefined;
  }
}
