import { afterAll, expect, test } from 'vitest';

import { fillDatabase, readsOfAll } from '../test/fill-database.ts';
import { fillListings, readsOfListings } from '../test/fill-listings.ts';
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

test('listings and workers that filter by one or two members read only what fits both, with 1,000,000 sessions', async () => {
  const url = await server.newDatabase();
  await fillListings(url, 1_000_000);
  const reads = await readsOfListings(url);
  expect(reads.length).toBeGreaterThan(20);
  // Two pages, of which a worker finds the rows by their ids.
  expect(reads.filter(({ read, scans }) => read > 500 || scans > 0)).toEqual([]);
});
