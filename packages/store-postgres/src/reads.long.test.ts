import { afterAll, expect, test } from 'vitest';

import { fillDatabase, readsOfAll } from '../test/fill-database.ts';
import { startPostgres } from '../test/postgres-server.ts';

const server = await startPostgres(18);
afterAll(() => server.stop());

test('no operation scans a table, and each reads its own rows, with 1,000,000 sessions', async () => {
  const url = await server.newDatabase();
  await fillDatabase(url, 1_000_000);
  const { scanned, rows } = await readsOfAll(url);
  expect(scanned).toEqual([]);
  expect(rows).toBeLessThan(3000);
});
