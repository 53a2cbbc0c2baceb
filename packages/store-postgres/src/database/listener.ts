import { setTimeout as sleep } from 'node:timers/promises';

import { Client, escapeIdentifier } from 'pg';

import type { CompleteOptions } from '../options.ts';
import { endClient, keepAlive } from './share-pool.ts';

/** The pause before a lost connection is replaced, in milliseconds. */
const pauseMs = 500;

/**
 * Receives notifications of commits on its own connection, created on first use. After a reconnect it notifies all
 * watchers, because it may have missed some.
 */
export class Listener {
  readonly #url: string;
  readonly #options: CompleteOptions;
  /** The watchers by the key of the notifications that they wait for. */
  readonly #watched = new Map<string, Set<() => void>>();
  #client: Client | undefined;
  #connecting: Promise<void> | undefined;
  #isClosed = false;

  constructor(url: string, options: CompleteOptions) {
    this.#url = url;
    this.#options = options;
  }

  /**
   * Calls `heard` after each notification of `key`, and after each reconnect. Without a connection there are no calls
   * and no errors. Returns a function that removes the watcher.
   */
  async watch(key: string, heard: () => void): Promise<() => void> {
    const heardBy = this.#watched.get(key) ?? new Set();
    this.#watched.set(key, heardBy.add(heard));
    this.#connecting ??= this.#connect();
    await this.#connecting;
    return () => {
      heardBy.delete(heard);
      if (heardBy.size === 0) this.#watched.delete(key);
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connecting;
    if (this.#client !== undefined) await endClient(this.#client);
  }

  /** Tries to connect once; further attempts follow in the background. Watchers also poll. */
  async #connect(): Promise<void> {
    if (this.#isClosed) return;
    const { ca, schema, connectTimeoutMs, queryTimeoutMs } = this.#options;
    const client = new Client({
      connectionString: this.#url,
      connectionTimeoutMillis: connectTimeoutMs,
      application_name: 'shallot listener',
      query_timeout: queryTimeoutMs,
      ...keepAlive,
      ...(ca === undefined ? {} : { ssl: { ca } }),
    });
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    client.on('notification', ({ payload = '' }) => {
      for (const heard of this.#watched.get(payload) ?? []) heard();
    });
    this.#client = client;
    try {
      await client.connect();
      await client.query(`LISTEN ${escapeIdentifier(schema)}`);
      for (const heardBy of this.#watched.values()) for (const heard of heardBy) heard();
    } catch {
      // The connection is tried again. Until then, watchers poll.
      await endClient(client);
      this.#lost(client);
    }
  }

  #lost(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    if (!this.#isClosed) void sleep(pauseMs, undefined, { ref: false }).then(() => this.#connect());
  }
}
