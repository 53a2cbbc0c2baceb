import { testStore } from '@shallot/core/testing';
import { afterAll, describe } from 'vitest';

import { postgresStore } from '../index.ts';
import { query, startPostgres, type PostgresVersion } from './postgres-server.ts';

/** Registers the conformance suite of stores on a server of this version; each check has a schema of its own. */
export async function registerStoreSuite(version: PostgresVersion): Promise<void> {
  const server = await startPostgres(version);
  afterAll(() => server.stop());
  let stores = 0;
  describe(`on PostgreSQL ${version}`, async () => {
    await testStore(() => {
      stores += 1;
      const options = { url: server.url, schema: `s${stores}`, poolSize: 3 };
      const makeNewer = `UPDATE ${options.schema}.sessions SET format = 99 WHERE session =`;
      return {
        store: postgresStore(options),
        elsewhere: {
          module: new URL('../index.ts', import.meta.url).href,
          open: 'postgresStore',
          args: [options],
        },
        makeNewer: async (sessionId) => void (await query(server.url, `${makeNewer} '${sessionId}'`)),
      };
    });
  });
}
