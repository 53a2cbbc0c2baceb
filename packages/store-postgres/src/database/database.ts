import { setTimeout as sleep } from 'node:timers/promises';

import { ShallotError } from '@shallot/core';
import { escapeIdentifier, Pool, type PoolClient, type QueryResultRow } from 'pg';

import type { CompleteOptions } from '../options.ts';
import { migrateQueue } from '../queue/migrate-queue.ts';
import { inTransaction } from './in-transaction.ts';
import { migrate } from './migrate.ts';
import { isLost, isMissing, isRaced, storeFailed } from './store-failed.ts';

/** How long to wait before the first repetition of an operation, in milliseconds; each further wait is twice as long. */
const firstPauseMs = 20;
const longestPauseMs = 1000;

/** A database with the tables of the store: a pool of connections, made at the first use. */
export class Database {
  /** The schema's name, quoted. */
  readonly schema: string;
  /** The channel of notifications: the schema's name. */
  readonly channel: string;
  /** The server and the database, for messages: without user and password. */
  readonly where: string;
  /** Whether a commit that makes a session resumable adds a job for workers. */
  readonly wakesWorkers: boolean;
  readonly #options: CompleteOptions;
  #pool: Pool | undefined;
  #ready: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: CompleteOptions) {
    this.#options = options;
    this.schema = escapeIdentifier(options.schema);
    this.channel = options.schema;
    this.where = placeOf(options.url);
    this.wakesWorkers = options.queue;
  }

  /** The rows that a statement returns. It is repeated when the connection is lost, so it must be harmless twice. */
  async query<Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#patiently(async () => {
      const { rows } = await (await this.#connected()).query<Row>(sql, [...values]);
      return rows;
    });
  }

  /** Works in a transaction; repeated like `query`, and when it loses against another one. */
  async transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#patiently(async () => inTransaction(await this.#connected(), work));
  }

  /** Brings the tables to the version of this program. Returns the version that they had, and have now. */
  async migrate(): Promise<{ readonly from: number; readonly to: number }> {
    return this.#patiently(async () => {
      const migrated = await migrate(this.#open(), this.schema, { mayChange: true });
      if (this.#options.queue) await migrateQueue(this.#open());
      return migrated;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.end();
  }

  /** The pool, once the tables are known to fit. */
  async #connected(): Promise<Pool> {
    const pool = this.#open();
    this.#ready ??= this.#prepare(pool);
    try {
      await this.#ready;
    } catch (error) {
      this.#ready = undefined;
      throw error;
    }
    return pool;
  }

  async #prepare(pool: Pool): Promise<void> {
    const { migrate: mayChange, queue } = this.#options;
    await migrate(pool, this.schema, { mayChange });
    if (queue && mayChange) await migrateQueue(pool);
  }

  /** What is missing may have been replaced by a newer program. @throws `STORE_FORMAT` if this one cannot use the tables any more */
  async #checkTables(): Promise<void> {
    this.#ready = undefined;
    await migrate(this.#open(), this.schema, { mayChange: false });
  }

  #open(): Pool {
    if (this.#isClosed) {
      throw new ShallotError('STORE_FAILED', {
        message: `The store of PostgreSQL at ${this.where} was closed.`,
      });
    }
    if (this.#pool !== undefined) return this.#pool;
    const { url, poolSize, connectTimeoutMs, ca } = this.#options;
    this.#pool = new Pool({
      connectionString: url,
      max: poolSize,
      connectionTimeoutMillis: connectTimeoutMs,
      application_name: 'shallot',
      ...(ca === undefined ? {} : { ssl: { ca } }),
    });
    // An idle connection that is lost is replaced when it is needed.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => void client.on('error', () => undefined));
    return this.#pool;
  }

  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    const end = Date.now() + this.#options.retryMs;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        return await work();
      } catch (error) {
        if (isMissing(error)) await this.#checkTables();
        const mayPass = isLost(error) || isRaced(error);
        if (!mayPass || this.#isClosed || Date.now() + pauseMs > end) throw storeFailed(this.where, error);
        await sleep(pauseMs);
      }
    }
  }
}

/** The server and database of a URL. @throws `OPTION_INVALID`, without the URL: it has a password */
function placeOf(url: string): string {
  try {
    const { protocol, hostname, port, pathname } = new URL(url);
    if (protocol !== 'postgres:' && protocol !== 'postgresql:')
      throw new TypeError('not a URL of PostgreSQL');
    return `${hostname || 'localhost'}:${port || '5432'}${pathname}`;
  } catch (cause) {
    const message =
      'The option "url" of the PostgreSQL store is not a URL like postgres://user:password@host:5432/database. Percent-encode special characters of the password.';
    throw new ShallotError('OPTION_INVALID', {
      message,
      cause: cause instanceof TypeError ? undefined : cause,
    });
  }
}
