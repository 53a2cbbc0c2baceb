import { createAgent, isShallotError } from '@shallot/core';
import { submitRun } from '@shallot/core/work';
import { scriptedModel } from '@shallot/testing';
import { Client } from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';

import { openStore } from '../test/open-store.ts';
import { query, startPostgres } from '../test/postgres-server.ts';
import { runRecord } from '../test/run-record.ts';
import { graphileQueue } from './queue/index.ts';

const server = await startPostgres(18);
afterAll(() => server.stop());

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return isShallotError(error) ? `${error.code}: ${error.message}` : String(error);
  }
  return 'nothing was refused';
}

function as(user: string, url: string): string {
  return url.replace('postgres@', `${user}@`);
}

test('a password that the server refuses is named, and not shown', async () => {
  const url = await server.newDatabase();
  await query(url, `CREATE USER ann PASSWORD 'right'`);
  const [{ file } = { file: '' }] = await query(url, `SELECT current_setting('hba_file') AS file`);
  const rules = `VALUES ('host all postgres 127.0.0.1/32 trust'), ('host all ann 127.0.0.1/32 scram-sha-256'), ('host all all 127.0.0.1/32 trust')`;
  await query(url, `COPY (${rules}) TO '${String(file)}'`);
  await query(url, 'SELECT pg_reload_conf()');
  // The server reads its rules soon.
  const said = (): Promise<string> => refusal(openStore({ url: as('ann:s3cr3t-pw', url) }).load('s'));
  await expect
    .poll(said)
    .toMatch(/^STORE_FAILED: .* refused the password: .*Check the user and the password/);
  expect(await said()).not.toContain('s3cr3t-pw');
});

test('a server without TLS is named, if the URL asks for it', async () => {
  const url = `${as('postgres:s3cr3t-pw', await server.newDatabase())}?sslmode=require`;
  const said = await refusal(openStore({ url }).load('s'));
  expect(said).toMatch(/^STORE_FAILED: .*does not support SSL/);
  expect(said).not.toContain('s3cr3t-pw');
});

test('each right that is missing is named', async () => {
  const url = await server.newDatabase();
  const owner = openStore({ url });
  await owner.commit('s', 0, { run: runRecord('r') });
  await query(url, 'CREATE USER guest');
  const guest = openStore({ url: as('guest', url) });
  const commit = async (): Promise<string> => {
    const { revision = 0 } = (await owner.load('s')) ?? {};
    const message = { id: `m${revision}`, role: 'user', content: [] } as const;
    return refusal(guest.commit('s', revision, { append: [message] }));
  };
  const steps: readonly (readonly [missing: RegExp, granted: string])[] = [
    [/permission denied for schema shallot\. Grant the right/, 'USAGE ON SCHEMA shallot'],
    [/permission denied for table versions\. Grant/, 'SELECT ON shallot.versions'],
    [/permission denied for table sessions\. Grant/, 'SELECT, INSERT, UPDATE, DELETE ON shallot.sessions'],
    [/permission denied for table inbox\. Grant/, 'SELECT ON shallot.inbox'],
    [/permission denied for table live\. Grant/, 'SELECT, INSERT, DELETE ON shallot.live'],
    [/permission denied for sequence revisions\. Grant/, 'USAGE ON shallot.revisions'],
    [/permission denied for table messages\. Grant/, 'SELECT, INSERT, DELETE ON shallot.messages'],
  ];
  for (const [missing, granted] of steps) {
    expect(await commit()).toMatch(missing);
    await query(url, `GRANT ${granted} TO guest`);
  }
  expect(await commit()).toBe('nothing was refused');
});

test('commits that lose against others are tried again', async () => {
  const url = await server.newDatabase();
  await query(
    url,
    `ALTER DATABASE ${url.split('/').at(-1)} SET default_transaction_isolation = 'serializable'`,
  );
  const store = openStore({ url, retryMs: 20_000, poolSize: 8 });
  const ids = Array.from({ length: 24 }, (_, index) => `s${index}`);
  await Promise.all(
    ids.map(async (id) => {
      let revision = 0;
      for (let n = 0; n < 4; n += 1) revision = await store.commit(id, revision, { run: runRecord(`r${n}`) });
    }),
  );
  for (const id of ids) expect((await store.load(id))?.run?.id).toBe('r3');
});

test('a commit that ends a deadlock is tried again, and takes effect once', async () => {
  const url = await server.newDatabase();
  const store = openStore({ url, retryMs: 20_000, listen: false });
  const revision = await store.commit('s', 0, { run: runRecord('r') });
  const other = new Client({ connectionString: url });
  await other.connect();
  onTestFinished(() => other.end());
  // The commit is to look for a deadlock first, and so to be the one that is refused.
  await other.query(`SET deadlock_timeout = '20s'; BEGIN; LOCK TABLE shallot.messages`);
  const message = { id: 'm', role: 'user', content: [] } as const;
  const journal = { k: { type: 'once', value: 1 } } as const;
  const committed = store.commit('s', revision, { append: [message], journal });
  const waiting = `SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND relation = 'shallot.messages'::regclass`;
  await expect.poll(() => query(url, waiting), { interval: 10 }).toEqual([{ n: 1 }]);
  await other.query('SELECT 1 FROM shallot.sessions FOR UPDATE');
  await other.query('COMMIT');
  const next = await committed;
  const record = await store.load('s');
  expect(record).toMatchObject({ revision: next, messages: [message], journal });
  // On a busy machine the second attempt may come into the same deadlock.
  const deadlocks =
    'SELECT deadlocks > 0 AS happened FROM pg_stat_database WHERE datname = current_database()';
  await expect.poll(() => query(url, deadlocks)).toEqual([{ happened: true }]);
});

test('a job for a session that is gone is done', async () => {
  const url = await server.newDatabase();
  const store = openStore({ url, queue: true });
  await submitRun(store, 's', 'Hello', { agent: 'test' });
  await store.delete('s');
  const queue = graphileQueue({ url });
  const agent = await createAgent({ name: 'test', model: scriptedModel([]), store, log: 'silent' });
  const stopping = new AbortController();
  const working = agent.work({ queue, signal: stopping.signal });
  onTestFinished(async () => {
    stopping.abort();
    await working;
    await agent.close();
    await queue.close();
  });
  const jobs = (): ReturnType<typeof query> =>
    query(url, 'SELECT count(*)::int AS n FROM graphile_worker.jobs');
  await expect.poll(jobs).toEqual([{ n: 0 }]);
  expect(await store.load('s')).toBeUndefined();
});
