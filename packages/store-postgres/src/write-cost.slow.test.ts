import { createAgent, defineTool } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { Client } from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';

import { openStore } from '../test/open-store.ts';
import { query, startPostgres } from '../test/postgres-server.ts';

// Without images of whole pages and without autovacuum, what is written is what the statements write.
const server = await startPostgres(18, ['full_page_writes=off', 'autovacuum=off']);
afterAll(() => server.stop());

const steps = 100;
const [said, seen] = ['s'.repeat(300), 'r'.repeat(470)];

/** The bytes that are written to the log meanwhile. */
async function logged(url: string, work: () => Promise<unknown>): Promise<number> {
  const place = async (): Promise<unknown> =>
    (await query(url, 'SELECT pg_current_wal_lsn() AS place'))[0]?.['place'];
  const before = await place();
  await work();
  const [{ bytes } = { bytes: 0 }] = await query(
    url,
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '${String(before)}')::float8 AS bytes`,
  );
  return Number(bytes);
}

/** A loop that keeps both messages of each step with two inserts in one transaction. */
async function insertByHand(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  const insert = 'INSERT INTO by_hand (session, position, message) VALUES ($1, $2, $3)';
  for (let step = 0; step < steps; step += 1) {
    await client.query('BEGIN');
    await client.query(insert, [
      's',
      2 * step,
      JSON.stringify({ role: 'assistant', text: said, call: 'look' }),
    ]);
    await client.query(insert, ['s', 2 * step + 1, JSON.stringify({ role: 'tool', text: seen })]);
    await client.query('COMMIT');
  }
}

test('commits in the middle of a run write no index of sessions, and little more than two inserts', async () => {
  const url = await server.newDatabase();
  await query(
    url,
    'CREATE TABLE by_hand (session text, position integer, message text, PRIMARY KEY (session, position))',
  );
  const floor = await logged(url, () => insertByHand(url));

  const store = openStore({ url, listen: false });
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    effect: 'read',
    input: { type: 'object' },
    execute: () => seen,
  });
  const script = Array.from({ length: steps }, () => ({
    text: said,
    toolCalls: [{ name: 'look', args: {} }],
  }));
  const model = scriptedModel([...script, { text: 'Done.' }]);
  const agent = await createAgent({
    name: 'agent',
    model,
    store,
    tools: [look],
    maxSteps: steps + 1,
    log: 'silent',
  });
  onTestFinished(() => agent.close());
  await store.load('s');
  const own = await logged(url, () => agent.run('Look', { sessionId: 's' }));

  const changes = `SELECT n_tup_upd::int AS all, n_tup_hot_upd::int AS hot FROM pg_stat_user_tables
    WHERE relid = 'shallot.sessions'::regclass`;
  // The counts of a connection are passed on when it ends, or after a while.
  await store.close();
  const countOf = async (name: 'all' | 'hot'): Promise<number> =>
    Number((await query(url, changes))[0]?.[name]);
  await expect.poll(() => countOf('all')).toBeGreaterThanOrEqual(steps);
  const hot = (await countOf('hot')) / (await countOf('all'));
  expect(hot).toBeGreaterThanOrEqual(0.8);
  expect(own / floor).toBeLessThanOrEqual(2.5);
});
