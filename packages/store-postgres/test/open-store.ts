import { onTestFinished } from 'vitest';

import { postgresStore, type PostgresStore, type PostgresStoreOptions } from '../src/index.ts';

/** A store that is closed with the test, and does not try again. */
export function openStore(options: PostgresStoreOptions): PostgresStore {
  const store = postgresStore({ retryMs: 0, ...options });
  onTestFinished(() => store.close());
  return store;
}
