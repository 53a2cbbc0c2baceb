import { afterAll, expect, test } from 'vitest';

import { fillDatabase, readsOfAll } from '../test/fill-database.ts';
import { fillListings, readsOfListings } from '../test/fill-listings.ts';
import { openStore } from '../test/open-store.ts';
import { startPostgres } from '../test/postgres-server.ts';
import { startProxy } from '../test/start-proxy.ts';
import { createSession, type Use, useSession } from '../test/use-session.ts';

const server = await startPostgres(18);
afterAll(() => server.stop());

test('no operation scans a table, and each reads its own rows, with 30,000 sessions', async () => {
  const url = await server.newDatabase();
  await fillDatabase(url, 30_000);
  const { scanned, rows } = await readsOfAll(url);
  expect(scanned).toEqual([]);
  expect(rows).toBeLessThan(3000);
});

test('listings and workers that filter by one or two members read only what fits both, with 30,000 sessions', async () => {
  const url = await server.newDatabase();
  await fillListings(url, 30_000);
  const reads = await readsOfListings(url);
  expect(reads.length).toBeGreaterThan(20);
  // Two pages, of which a worker finds the rows by their ids.
  expect(reads.filter(({ read, scans }) => read > 500 || scans > 0)).toEqual([]);
});

test('submitting, following, waking, answering and stopping pass as many bytes in a session of 10,000 messages as of ten', async () => {
  const url = await server.newDatabase();
  const aside = openStore({ url });
  const proxy = await startProxy(url);
  const store = openStore({ url: proxy.url, listen: false });
  const bytesOf = async (sessionId: string): Promise<ReadonlyMap<Use, number>> => {
    const bytes = new Map<Use, number>();
    await useSession({ store, aside }, sessionId, async (use, work) => {
      const before = proxy.passed;
      await work();
      bytes.set(use, proxy.passed - before);
    });
    return bytes;
  };
  for (const messages of [1, 10, 10_000]) await createSession(aside, `of ${messages}`, messages);
  // The first use connects.
  await bytesOf('of 1');
  const [short, long] = [await bytesOf('of 10'), await bytesOf('of 10000')];
  expect(short.size).toBe(5);
  const ratios = [...short].map(([use, bytes]) => ({ use, ratio: (long.get(use) ?? 0) / bytes }));
  expect(ratios.filter(({ ratio }) => ratio > 1.3)).toEqual([]);
});
