import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { Pool, type Client, type PoolClient } from 'pg';

import type { CompleteOptions } from '../options.ts';
import { returnOnce } from './return-once.ts';

/** The options that make a connection. */
export type ConnectionOptions = Pick<
  CompleteOptions,
  'url' | 'poolSize' | 'connectTimeoutMs' | 'queryTimeoutMs' | 'ca'
>;

/** A share in the connections of this process to a server. */
export interface PoolShare {
  readonly pool: Pool;
  /** Ends the connections once nobody else has a share, within about a second. */
  end(): Promise<void>;
}

/** TCP keep-alive probes an idle connection after this delay; Node closes it 10 seconds later if there is no answer. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;

/** The time to wait for a server when connections end, in milliseconds. */
const goodbyeMs = 1000;

interface SharedPool {
  readonly pool: Pool;
  readonly clients: Set<PoolClient>;
  shares: number;
}

/** The open pools by URL and certificate authority. */
const sharedPools = new Map<string, SharedPool>();

/**
 * Returns a share in the one pool of this process for a URL: stores, files and queues over one database take their
 * connections from one budget. Of limits that differ, the largest counts.
 */
export function sharePool(options: ConnectionOptions): PoolShare {
  const key = JSON.stringify([options.url, options.ca]);
  const shared = sharedPools.get(key) ?? openPool(options);
  sharedPools.set(key, shared);
  shared.shares += 1;
  raiseLimits(shared.pool, options);
  let isEnded = false;
  return {
    pool: shared.pool,
    async end() {
      if (isEnded) return;
      isEnded = true;
      shared.shares -= 1;
      if (shared.shares > 0) return;
      sharedPools.delete(key);
      await endPool(shared);
    },
  };
}

function openPool({ url, ca }: ConnectionOptions): SharedPool {
  const pool = new Pool({
    connectionString: url,
    max: 1,
    application_name: 'shallot',
    ...keepAlive,
    ...(ca === undefined ? {} : { ssl: { ca } }),
  });
  returnOnce(pool);
  const clients = new Set<PoolClient>();
  // An idle connection that is lost is replaced when it is needed.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    clients.add(client);
    client.on('error', () => undefined);
    client.once('end', () => clients.delete(client));
  });
  return { pool, clients, shares: 0 };
}

function raiseLimits(
  { options }: Pool,
  { poolSize, connectTimeoutMs, queryTimeoutMs }: ConnectionOptions,
): void {
  options.max = Math.max(options.max, poolSize);
  options.connectionTimeoutMillis = Math.max(options.connectionTimeoutMillis ?? 0, connectTimeoutMs);
  options.query_timeout = Math.max(options.query_timeout ?? 0, queryTimeoutMs);
}

/** Ends a pool politely, and cuts connections that the server does not close. */
async function endPool({ pool, clients }: SharedPool): Promise<void> {
  const gone = Array.from(clients, (client) => once(client, 'end'));
  await Promise.race([Promise.all([pool.end(), ...gone]), sleep(goodbyeMs)]);
  for (const client of clients) client.connection.stream.destroy();
}

/** Ends a connection politely, and cuts it if the server does not close it. */
export async function endClient(client: Client): Promise<void> {
  await Promise.race([client.end().catch(() => undefined), sleep(goodbyeMs)]);
  client.connection.stream.destroy();
}
