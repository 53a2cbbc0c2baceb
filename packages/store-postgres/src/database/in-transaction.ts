import type { Pool, PoolClient } from 'pg';

import { isLost } from './store-failed.ts';

/**
 * Runs work in a transaction on its own connection, and rolls back if the work throws. If the program is gone, the
 * server ends the transaction `idleMs` after its last statement.
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

/** Returns the reason why the connection can no longer be used, if there is one. */
async function rollBack(client: PoolClient, cause: unknown): Promise<Error | undefined> {
  // A server that did not answer would not answer this either.
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
