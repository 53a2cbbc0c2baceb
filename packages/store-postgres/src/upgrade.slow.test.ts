import { createAgent, definePlugin, type Agent } from '@shallot/core';
import { recordFormat } from '@shallot/core/store';
import { answerInterrupts, followRun, submitRun, type FollowedEvent } from '@shallot/core/work';
import { scriptedModel } from '@shallot/testing';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';

import { query, startPostgres } from '../test/postgres-server.ts';
import { runRecord } from '../test/run-record.ts';
import { migrations } from './database/migrations.ts';
import { postgresStore, type PostgresStore } from './index.ts';

const server = await startPostgres(18);
afterAll(() => server.stop());

/** The version of tables that a later program makes. */
const newer = migrations.length + 1;

function open(url: string): PostgresStore {
  const store = postgresStore({ url, retryMs: 0 });
  onTestFinished(() => store.close());
  return store;
}

/** A version of a plugin that asks before each answer. */
const asking = (version: string): ReturnType<ReturnType<typeof definePlugin>> =>
  definePlugin({
    name: 'asking',
    version,
    api: '^1.0.0',
    async beforeModel(_, run) {
      await run.interrupt({ kind: 'question', payload: 'Go on?', answer: { type: 'string' } });
    },
  })();

interface Working {
  readonly agent: Agent;
  readonly lines: string[];
  stop(): Promise<void>;
}

async function startWorker(store: PostgresStore, version: string): Promise<Working> {
  const lines: string[] = [];
  const agent = await createAgent({
    name: 'test',
    model: scriptedModel(Array.from({ length: 20 }, () => ({ text: `by ${version}` }))),
    plugins: [asking(version)],
    store,
    log: 'warn',
    logStream: { write: (line) => void lines.push(line) },
  });
  const stopping = new AbortController();
  const working = agent.work({ intervalMs: 20, warnAfterMs: 1, signal: stopping.signal });
  const stop = async (): Promise<void> => {
    stopping.abort();
    await working;
    await agent.close();
  };
  onTestFinished(stop);
  return { agent, lines, stop };
}

async function seen(store: PostgresStore, sessionId: string): Promise<readonly FollowedEvent[]> {
  const events: FollowedEvent[] = [];
  for await (const event of followRun(store, sessionId, { intervalMs: 20 })) events.push(event);
  return events;
}

async function questionOf(store: PostgresStore, sessionId: string): Promise<string> {
  const asked = (await seen(store, sessionId)).find((event) => event.type === 'interrupt');
  return asked?.interrupt.id ?? '';
}

/** A digest of each table: of all rows, but for the time until which a session was given to a worker that looked for work. */
async function contentsOf(url: string): Promise<unknown> {
  const tables = ['sessions', 'messages', 'state', 'journal', 'files'];
  return Promise.all(
    tables.map((table) =>
      query(
        url,
        `SELECT md5(coalesce(string_agg((to_jsonb(t) - 'taken')::text, '' ORDER BY t::text), '')) FROM shallot.${table} t`,
      ),
    ),
  );
}

test('old and new workers share a database: what only new ones can continue waits for them', async () => {
  const url = await server.newDatabase();
  const [oldStore, newStore] = [open(url), open(url)];
  const first = await startWorker(oldStore, '1.0.0');
  await submitRun(oldStore, 'begun by old', 'Hello', { agent: 'test' });
  const oldQuestion = await questionOf(oldStore, 'begun by old');
  await first.stop();
  const second = await startWorker(newStore, '2.0.0');
  await submitRun(newStore, 'begun by new', 'Hello', { agent: 'test' });
  const newQuestion = await questionOf(newStore, 'begun by new');
  await second.stop();

  // The deployment is rolled back: only old workers are left.
  const third = await startWorker(oldStore, '1.0.0');
  await answerInterrupts(oldStore, 'begun by new', { [newQuestion]: 'yes' });
  await vi.waitFor(() => expect(third.lines.join('')).toContain('WORK_LEFT'), 20_000);
  expect((await oldStore.load('begun by new'))?.run).toMatchObject({ status: 'interrupted' });

  // It is rolled out again, beside the old ones.
  await startWorker(newStore, '2.0.0');
  await answerInterrupts(oldStore, 'begun by old', { [oldQuestion]: 'yes' });
  for (const id of ['begun by old', 'begun by new'])
    expect((await seen(oldStore, id)).at(-1)).toMatchObject({ outcome: 'completed' });
});

test('a session in a newer format is left by an old worker, and does not keep it from others', async () => {
  const url = await server.newDatabase();
  const store = open(url);
  await store.commit('newer', 0, { run: runRecord('r') });
  await query(url, `UPDATE shallot.sessions SET format = ${recordFormat + 1} WHERE session = 'newer'`);
  const before = await contentsOf(url);
  const worker = await startWorker(store, '1.0.0');
  await vi.waitFor(() => expect(worker.lines.join('')).toContain('WORK_LEFT'), 20_000);
  expect(await contentsOf(url)).toEqual(before);
  await submitRun(store, 's', 'Hello', { agent: 'test' });
  expect((await seen(store, 's')).at(-1)).toMatchObject({ outcome: 'interrupted' });
});

test('an old program works on with tables that a newer one has added to', async () => {
  const url = await server.newDatabase();
  const store = open(url);
  await store.load('s');
  await query(
    url,
    `ALTER TABLE shallot.sessions ADD COLUMN later text; INSERT INTO shallot.versions (version, oldest) VALUES (${newer}, 1)`,
  );
  for (const each of [store, open(url)]) {
    const { revision = 0 } = (await each.load('s')) ?? {};
    await each.commit('s', revision, { run: runRecord('r') });
  }
  expect(await open(url).migrate()).toEqual({ from: newer, to: newer });
});

test('an old program refuses tables that a newer one has changed, running or started again, and writes nothing', async () => {
  const url = await server.newDatabase();
  const store = open(url);
  const revision = await store.commit('s', 0, { run: runRecord('r') });
  await query(
    url,
    `ALTER FUNCTION shallot.commit_change RENAME TO commit_change_${newer};
     INSERT INTO shallot.versions (version, oldest) VALUES (${newer}, ${newer})`,
  );
  const before = await contentsOf(url);
  await expect(store.commit('s', revision, { run: runRecord('other') })).rejects.toMatchObject({
    code: 'STORE_FORMAT',
  });
  const again = open(url);
  for (const refused of [
    () => again.load('s'),
    () => again.commit('s', revision, { run: runRecord('other') }),
    () => again.requestStop('s'),
    () => again.delete('s'),
    () => again.migrate(),
  ]) {
    await expect(refused()).rejects.toMatchObject({ code: 'STORE_FORMAT' });
  }
  expect(await contentsOf(url)).toEqual(before);
});
