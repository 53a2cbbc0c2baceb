import type { Pool, PoolClient } from 'pg';

/**
 * Makes a pool ignore that a caller of `connect(callback)` returns a connection a second time. graphile-worker does so if the
 * connection that it listens on is lost while it stops; the error of the pool would be an unhandled rejection, which ends the
 * process.
 */
export function returnOnce(pool: Pool): void {
  const connect = pool.connect.bind(pool) as (callback?: Connected) => Promise<PoolClient> | undefined;
  pool.connect = ((callback?: Connected) => {
    if (callback === undefined) return connect();
    return connect((error, client, done) => {
      let isReturned = false;
      callback(error, client, (reason) => {
        // Without a connection, as after a timeout, some pools pass no function that returns it.
        if (!isReturned) done?.(reason);
        isReturned = true;
      });
    });
  }) as Pool['connect'];
}

type Connected = (
  error: Error | undefined,
  client: PoolClient | undefined,
  done: ((reason?: Error | boolean) => void) | undefined,
) => void;
