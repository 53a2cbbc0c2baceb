import { setTimeout as sleep } from 'node:timers/promises';

import { Client, escapeIdentifier } from 'pg';

import type { CompleteOptions } from '../options.ts';

/** The pause before a lost connection is made anew, in milliseconds. */
const pauseMs = 500;

/** Hears of commits by a connection of its own, made when somebody first watches. Whatever may have been missed is passed on. */
export class Listener {
  readonly #url: string;
  readonly #options: CompleteOptions;
  /** By the digest of a session, in hexadecimal digits. */
  readonly #watched = new Map<string, Set<() => void>>();
  #client: Client | undefined;
  #connecting: Promise<void> | undefined;
  #isClosed = false;

  constructor(url: string, options: CompleteOptions) {
    this.#url = url;
    this.#options = options;
  }

  /** Calls `heard` after each commit of a session. While there is no connection, nothing is heard, and nothing fails. */
  async watch(digest: Buffer, heard: () => void): Promise<() => void> {
    const key = digest.toString('hex');
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
    await this.#client?.end().catch(() => undefined);
  }

  /** One attempt; further ones go on behind the scenes, and whoever watches looks at intervals as well. */
  async #connect(): Promise<void> {
    if (this.#isClosed) return;
    const { ca, schema, connectTimeoutMs } = this.#options;
    const client = new Client({
      connectionString: this.#url,
      connectionTimeoutMillis: connectTimeoutMs,
      application_name: 'shallot listener',
      keepAlive: true,
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
      // It is tried again: until then those who watch look at intervals.
      await client.end().catch(() => undefined);
      this.#lost(client);
    }
  }

  #lost(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    if (!this.#isClosed) void sleep(pauseMs, undefined, { ref: false }).then(() => this.#connect());
  }
}
