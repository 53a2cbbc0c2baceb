import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { ShallotError } from '@shallot/core';
import { escapeIdentifier, type Pool, type PoolClient, type QueryResultRow } from 'pg';

import type { CompleteOptions } from '../options.ts';
import { inTransaction } from './in-transaction.ts';
import { migrate } from './migrate.ts';
import { sharePool, type PoolShare } from './share-pool.ts';
import { isForgotten, isLost, isMissing, isRaced, storeFailed } from './store-failed.ts';

/** The pause before the first retry of an operation, in milliseconds; each further pause is twice as long. */
const firstPauseMs = 20;
const longestPauseMs = 1000;

/** A database with the tables of the store. From its first use on, it has a share in a pool of connections. */
export class Database {
  /** The quoted name of the schema. */
  readonly schema: string;
  /** The channel of notifications: the name of the schema. */
  readonly channel: string;
  /** The server and database, for messages, without user and password. */
  readonly where: string;
  /** True if a commit that makes a session resumable adds a job for workers. */
  readonly wakesWorkers: boolean;
  readonly #options: CompleteOptions;
  readonly #migrateQueue: (pool: Pool) => Promise<void>;
  #share: PoolShare | undefined;
  #ready: Promise<void> | undefined;
  /**
   * True once the tables existed. If they are missing later, somebody is restoring them, and new empty tables would
   * be in the way.
   */
  #hadTables = false;
  #isClosed = false;
  /** True while statements that were prepared on a connection are found there. */
  #keepsStatements = true;
  readonly #names = new Map<string, string>();

  /** `migrateQueue` creates or updates the tables of the queue; called only if the options ask for one. */
  constructor(options: CompleteOptions, migrateQueue: (pool: Pool) => Promise<void>) {
    this.#options = options;
    this.#migrateQueue = migrateQueue;
    this.schema = escapeIdentifier(options.schema);
    this.channel = options.schema;
    this.where = placeOf(options.url);
    this.wakesWorkers = options.queue;
  }

  /** Returns the rows of a statement. It is retried after a lost connection, so it must be idempotent. */
  async query<Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#patiently(async () => {
      const { rows } = await (await this.#connected()).query<Row>(sql, [...values]);
      return rows;
    });
  }

  /**
   * Returns the rows of a statement that is sent often and does not depend on statistics: each connection plans it once.
   * It is retried like any other.
   */
  async often<Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#patiently(async () => {
      const pool = await this.#connected();
      const ask = async (name?: string): Promise<Row[]> => {
        const { rows } = await pool.query<Row>({
          ...(name === undefined ? {} : { name }),
          text: sql,
          values: [...values],
        });
        return rows;
      };
      if (!this.#keepsStatements) return ask();
      try {
        return await ask(this.#nameOf(sql));
      } catch (error) {
        if (!isForgotten(error)) throw error;
        // The statement was not executed. A pooler gives each transaction another connection, so it happens again.
        this.#keepsStatements = false;
        return ask();
      }
    });
  }

  /** Returns the name of a prepared statement, which is the same in all programs that prepare this statement. */
  #nameOf(sql: string): string {
    const name =
      this.#names.get(sql) ?? `shallot_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`;
    this.#names.set(sql, name);
    return name;
  }

  /** Runs a transaction; retries it after a lost connection, and after a conflict with another transaction. */
  async transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const idleMs = 2 * this.#options.queryTimeoutMs;
    return this.#patiently(async () => inTransaction(await this.#connected(), work, { idleMs }));
  }

  /** Migrates the tables to the version of this program. Returns the version before and after. */
  async migrate(): Promise<{ readonly from: number; readonly to: number }> {
    return this.#patiently(async () => {
      const migrated = await migrate(this.#open(), this.schema, { mayChange: true });
      if (this.#options.queue) await this.#migrateQueue(this.#open());
      return migrated;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const share = this.#share;
    this.#share = undefined;
    await share?.end();
  }

  /** Returns the pool once the tables are checked. */
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
    await migrate(pool, this.schema, { mayChange: mayChange && !this.#hadTables });
    this.#hadTables = true;
    if (queue && mayChange) await this.#migrateQueue(pool);
  }

  /**
   * Checks the tables again after an error about a missing one: a newer program may have replaced it. @throws
   * `STORE_FORMAT` if this program can no longer use the tables
   */
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
    this.#share ??= sharePool(this.#options);
    return this.#share.pool;
  }

  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    // The time for retries begins with the first failure, because an attempt may fail by taking too long.
    let end: number | undefined;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        return await work();
      } catch (error) {
        if (isMissing(error)) await this.#checkTables();
        const mayPass = isLost(error) || isRaced(error);
        end ??= Date.now() + this.#options.retryMs;
        if (!mayPass || this.#isClosed || Date.now() + pauseMs > end) throw storeFailed(this.where, error);
        await sleep(pauseMs);
      }
    }
  }
}

/** Returns the server and database of a URL. @throws `OPTION_INVALID` without the URL, which contains a password */
export function placeOf(url: string): string {
  try {
    const { protocol, hostname, port, pathname } = new URL(url);
    if (protocol !== 'postgres:' && protocol !== 'postgresql:')
      throw new TypeError('not a URL of PostgreSQL');
    return `${hostname || 'localhost'}:${port || '5432'}${pathname}`;
  } catch (cause) {
    const message =
      'The option "url" of the PostgreSQL store is not a URL like postgres://USER:PASSWORD@HOST:5432/DATABASE. Percent-encode special characters of the password.';
    throw new ShallotError('OPTION_INVALID', {
      message,
      cause: cause instanceof TypeError ? undefined : cause,
    });
  }
}
