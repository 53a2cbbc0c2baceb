import { setTimeout as sleep } from 'node:timers/promises';

import { createAgent } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { afterAll, expect, onTestFinished, test } from 'vitest';

import { openStore } from '../test/open-store.ts';
import { query, startPostgres } from '../test/postgres-server.ts';
import { graphileQueue } from './queue/index.ts';

const server = await startPostgres(18);
afterAll(() => server.stop());

/** The transactions of the database so far; the server counts them after a second of silence. */
async function transactionsOf(url: string): Promise<number> {
  await sleep(2000);
  const sql =
    'SELECT (xact_commit + xact_rollback)::int AS n FROM pg_stat_database WHERE datname = current_database()';
  const [row] = await query(url, sql);
  return (row as { readonly n: number }).n;
}

test('a worker with a queue that has nothing to do keeps two connections, and asks little of them', async () => {
  const url = await server.newDatabase();
  const store = openStore({ url, queue: true, retryMs: 5000 });
  const queue = graphileQueue({ url });
  onTestFinished(() => queue.close());
  const agent = await createAgent({ name: 'test', model: scriptedModel([]), store, log: 'silent' });
  const stopping = new AbortController();
  const working = agent.work({ queue, signal: stopping.signal });
  onTestFinished(async () => {
    stopping.abort();
    await working;
    await agent.close();
  });
  const open = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'shallot' AND datname = current_database()`;
  await expect
    .poll(async () => (await query(url, open))[0], { timeout: 60_000, interval: 1000 })
    .toEqual({ n: 2 });
  const before = await transactionsOf(url);
  // Looks and polls come at intervals of their own, so a slow machine has fewer of them, never more.
  await sleep(58_000);
  // Two of them are those of these questions.
  expect((await transactionsOf(url)) - before - 2).toBeLessThanOrEqual(20);
});
