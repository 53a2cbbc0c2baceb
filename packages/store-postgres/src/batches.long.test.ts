import type { Message } from '@shallot/core';
import { Client } from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';

import { openStore } from '../test/open-store.ts';
import { query, startPostgres } from '../test/postgres-server.ts';
import { runRecord } from '../test/run-record.ts';
import { sharePool } from './database/share-pool.ts';

const server = await startPostgres(18);
afterAll(() => server.stop());

const said = (text: string): Message => ({ id: 'm', role: 'user', content: [{ type: 'text', text }] });

test('commits at once go together in few transactions, and each is checked by itself', async () => {
  const url = await server.newDatabase();
  const store = openStore({ url, listen: false });
  await store.load('none');
  const sessions = Array.from({ length: 40 }, (_, index) => `s${index}`);
  await query(
    url,
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no such word'; END $$;
     CREATE TRIGGER refuse BEFORE INSERT ON shallot.messages FOR EACH ROW WHEN (NEW.message LIKE '%unspeakable%')
       EXECUTE FUNCTION refuse();`,
  );
  const begin = sessions.map(async (id) => store.commit(id, 0, { run: runRecord('r') }));
  const revisions = await Promise.all(begin);
  const transactions = async (): Promise<number> =>
    Number((await query(url, 'SELECT pg_current_xact_id()::text AS id'))[0]?.['id']);

  const before = await transactions();
  const together = sessions.map(async (id, index) => {
    const revision = index === 7 ? 1000 : (revisions[index] ?? 0);
    return store.commit(id, revision, { append: [said('a word')] });
  });
  const ends = await Promise.allSettled(together);
  // The question takes one, too.
  expect((await transactions()) - before).toBeLessThan(12);
  expect(ends.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([7]);
  expect(ends[7]).toMatchObject({ reason: { code: 'STORE_CONFLICT' } });
  const kept = await Promise.all(sessions.map(async (id) => (await store.load(id))?.messages.length));
  expect(kept).toEqual(sessions.map((_, index) => (index === 7 ? 0 : 1)));

  const again = await Promise.allSettled(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((id) =>
      store.commit(id, 0, { append: [said(id === 'e' ? 'unspeakable' : id)] }),
    ),
  );
  expect(again.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, true, false, true]);
  expect(again[4]).toMatchObject({ reason: { code: 'STORE_FAILED' } });
});

test('commits wait only briefly for those whose sessions somebody has locked', async () => {
  const url = await server.newDatabase();
  const store = openStore({ url, listen: false });
  const revision = await store.commit('locked', 0, { run: runRecord('r') });
  const other = await store.commit('locked, too', 0, { run: runRecord('r') });
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('BEGIN; SELECT FROM shallot.sessions FOR UPDATE');
  const stuck = [store.commit('locked', revision, {}), store.commit('locked, too', other, {})];
  expect(await store.commit('free', 0, { run: runRecord('r') })).toBeGreaterThan(other);
  await client.query('ROLLBACK');
  await Promise.all(stuck);
});

test('a pooler may forget prepared statements', async () => {
  const url = await server.newDatabase();
  const store = openStore({ url, listen: false, poolSize: 1 });
  const revision = await store.commit('s', 0, { append: [said('first')] });
  const shared = sharePool({ url, poolSize: 1, connectTimeoutMs: 5000, queryTimeoutMs: 5000 });
  onTestFinished(() => shared.end());
  await shared.pool.query('DEALLOCATE ALL');
  await store.commit('s', revision, { append: [{ ...said('second'), id: 'n' }] });
  await shared.pool.query('DEALLOCATE ALL');
  expect((await store.load('s'))?.messages).toHaveLength(2);
});
