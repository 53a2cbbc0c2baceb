import { onTestFinished } from 'vitest';

import { postgresStore, type PostgresStore, type PostgresStoreOptions } from '../src/index.ts';

/** Returns a store without retries. It is closed when the test ends. */
export function openStore(options: PostgresStoreOptions): PostgresStore {
  const store = postgresStore({ retryMs: 0, ...options });
  onTestFinished(() => store.close());
  return store;
}
