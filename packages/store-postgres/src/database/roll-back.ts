import type { PoolClient } from 'pg';

/** Rolls a transaction back. Returns the error of a connection that cannot, and is to be thrown away. */
export async function rollBack(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
