import { createAgent, defineTool } from '@shallot/core';
import { followRun, submitRun } from '@shallot/core/work';
import { scriptedModel } from '@shallot/testing';
import { Pool } from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';

import { openStore } from '../test/open-store.ts';
import { query, startPostgres } from '../test/postgres-server.ts';
import { runRecord } from '../test/run-record.ts';
import { startProxy } from '../test/start-proxy.ts';
import { returnOnce } from './database/return-once.ts';
import { postgresFiles } from './files/index.ts';
import { postgresStore } from './index.ts';

const server = await startPostgres(18);
afterAll(() => server.stop());

/** Long enough for a busy machine, short enough for a test. */
const limits = { queryTimeoutMs: 500, connectTimeoutMs: 500, retryMs: 10_000 };

test.each(['both', 'answers'] as const)(
  'a commit over a connection that went silent (%s) is made over another one, once',
  async (what) => {
    const url = await server.newDatabase();
    const proxy = await startProxy(url);
    const store = openStore({ url: proxy.url, poolSize: 1, listen: false, ...limits });
    const revision = await store.commit('s', 0, { run: runRecord('r') });
    proxy.silence(what);
    const message = { id: 'm', role: 'user', content: [] } as const;
    const next = await store.commit('s', revision, { append: [message] });
    expect(await store.load('s')).toMatchObject({ revision: next, messages: [message] });
  },
);

test('files and long sessions are read and written over another connection, too', async () => {
  const url = await server.newDatabase();
  const proxy = await startProxy(url);
  const files = postgresFiles({ url: proxy.url, ...limits });
  onTestFinished(() => files.close());
  await files.write('/a', 'one');
  proxy.silence();
  await files.append('/a', ' two');
  expect((await files.readText('/a')).text).toBe('one two');
});

test('a server that answers nothing is an error that says so, and closing does not wait for it', async () => {
  const url = await server.newDatabase();
  const proxy = await startProxy(url);
  const store = postgresStore({ url: proxy.url, ...limits, retryMs: 100 });
  await store.load('s');
  const unwatch = await store.watch?.('s', () => undefined);
  proxy.silenceAll();
  await expect(store.load('s')).rejects.toMatchObject({
    code: 'STORE_FAILED',
    transient: true,
    message: expect.stringMatching(/PostgreSQL at 127\.0\.0\.1:\d+\/test_\d+ did not answer/) as string,
  });
  unwatch?.();
  await store.close();
});

test('one who watches does not wait for a listener that gets no answer', async () => {
  const url = await server.newDatabase();
  const proxy = await startProxy(url);
  const store = postgresStore({ url: proxy.url, ...limits, retryMs: 100 });
  await store.load('s');
  proxy.silenceAll();
  await expect(store.watch?.('s', () => undefined)).resolves.toBeTypeOf('function');
  await store.close();
});

test('the run of a worker goes on when all its connections go silent', async () => {
  const url = await server.newDatabase();
  const proxy = await startProxy(url);
  const [store, outside] = [openStore({ url: proxy.url, ...limits }), openStore({ url })];
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    effect: 'read',
    input: { type: 'object' },
    execute: () => (proxy.silence(), 'seen'),
  });
  const model = scriptedModel([{ toolCalls: [{ name: 'look', args: {} }] }, { text: 'Done.' }]);
  await using agent = await createAgent({ name: 'test', model, store, log: 'silent', tools: [look] });
  const stopping = new AbortController();
  const working = agent.work({ intervalMs: 50, signal: stopping.signal });
  onTestFinished(() => (stopping.abort(), working));
  await submitRun(outside, 's', 'Look', { agent: 'test' });
  const events: string[] = [];
  for await (const { type } of followRun(outside, 's', { intervalMs: 50 })) events.push(type);
  expect(events.at(-1)).toBe('run-end');
  expect((await outside.load('s'))?.run).toMatchObject({ status: 'completed' });
});

test('a transaction whose program vanished ends, and others go on', async () => {
  const url = await server.newDatabase();
  const proxy = await startProxy(url);
  const [files, others] = [postgresFiles({ url: proxy.url, ...limits }), postgresFiles({ url, ...limits })];
  onTestFinished(async () => void (await Promise.all([files.close(), others.close()])));
  await files.write('/a', 'one');
  const idle = `SELECT pid FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()`;
  // The answer to its first statement never arrives, so its transaction stays open.
  proxy.silence('answers');
  await files.append('/a', ' two');
  await others.append('/a', ' three');
  await expect.poll(() => query(url, idle)).toEqual([]);
});

test('a store and files with one URL share their connections, until the last of them is closed', async () => {
  const url = await server.newDatabase();
  const [store, other] = [
    postgresStore({ url, poolSize: 3, listen: false }),
    postgresStore({ url, listen: false, poolSize: 2 }),
  ];
  const files = postgresFiles({ url, poolSize: 2 });
  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      await Promise.all([store.load(`s${index}`), other.load('s'), files.write(`/${index}`, 'text')]);
    }),
  );
  const open = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'shallot' AND datname = current_database()`;
  const [{ n } = { n: 0 }] = await query(url, open);
  expect(n).toBeLessThanOrEqual(3);
  await store.close();
  await store.close();
  await expect(store.load('s')).rejects.toMatchObject({ code: 'STORE_FAILED' });
  expect(await other.load('s')).toBeUndefined();
  expect((await files.readText('/1')).text).toBe('text');
  await Promise.all([other.close(), files.close()]);
  await expect.poll(() => query(url, open)).toEqual([{ n: 0 }]);
});

test('a connection that a library returns twice is taken back once', async () => {
  const pool = new Pool({ connectionString: await server.newDatabase(), max: 1 });
  onTestFinished(() => pool.end());
  returnOnce(pool);
  for (let turn = 0; turn < 2; turn += 1) {
    const { promise, resolve } = Promise.withResolvers<number>();
    pool.connect((_error, client, done) => {
      void client?.query('SELECT 1').finally(() => {
        done();
        done();
        resolve(pool.idleCount);
      });
    });
    expect(await promise).toBe(1);
  }
  const client = await pool.connect();
  client.release();
});

test('a library that waited for a connection in vain may return it all the same', async () => {
  const url = await server.newDatabase();
  const pool = new Pool({ connectionString: url, max: 1 });
  onTestFinished(() => pool.end());
  returnOnce(pool);
  const taken = await pool.connect();
  // From here on: a connection to a busy server may take longer.
  pool.options.connectionTimeoutMillis = 50;
  const { promise, resolve } = Promise.withResolvers<unknown>();
  pool.connect((error, _client, done) => {
    try {
      done();
      resolve(error?.message);
    } catch (thrown) {
      resolve(thrown);
    }
  });
  expect(await promise).toBe('timeout exceeded when trying to connect');
  taken.release();
});
