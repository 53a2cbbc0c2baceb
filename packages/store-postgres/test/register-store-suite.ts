import { testStore, type StoreSubject } from '@shallot/testing';
import { afterAll, describe } from 'vitest';

import { postgresStore, type PostgresStoreOptions } from '../src/index.ts';
import { query, startPostgres, type PostgresVersion } from './postgres-server.ts';

/** Registers the conformance suite of stores on a server of this version. */
export async function registerStoreSuite(version: PostgresVersion): Promise<void> {
  const server = await startPostgres(version);
  afterAll(() => server.stop());
  describe(`on PostgreSQL ${version}`, async () => {
    await testStore(storeMaker(server.url, { url: server.url }));
  });
}

/** Returns a function that creates stores for the suite, each with its own schema. */
export function storeMaker(serverUrl: string, connection: PostgresStoreOptions): () => StoreSubject {
  let stores = 0;
  return () => {
    stores += 1;
    const options = { ...connection, schema: `s${stores}`, poolSize: 3 };
    const makeNewer = `UPDATE ${options.schema}.sessions SET format = 99 WHERE session =`;
    return {
      store: postgresStore(options),
      elsewhere: {
        module: new URL('../src/index.ts', import.meta.url).href,
        open: 'postgresStore',
        args: [options],
      },
      makeNewer: async (sessionId) => void (await query(serverUrl, `${makeNewer} '${sessionId}'`)),
    };
  };
}
