import type { Pool, PoolClient } from 'pg';

import { isLost } from './store-failed.ts';

/**
 * Works in a transaction on a connection of its own, and rolls it back when that throws. `idleMs`: so long after its last
 * statement the server ends a transaction whose program is gone.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  { idleMs }: { readonly idleMs: number },
): Promise<T> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    failure = await rollBack(client, error);
    throw error;
  } finally {
    // A connection that cannot be rolled back is discarded.
    client.release(failure);
  }
}

/** Returns why the connection is of no more use, if it is. */
async function rollBack(client: PoolClient, cause: unknown): Promise<Error | undefined> {
  // One that did not answer would not answer this either.
  if (isLost(cause)) return asError(cause);
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (error) {
    return asError(error);
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
