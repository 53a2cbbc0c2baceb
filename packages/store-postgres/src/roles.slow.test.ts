import { createAgent, defineTool, isShallotError } from '@shallot/core';
import { storeStats } from '@shallot/core/store';
import { answerInterrupts, followRun, pendingInterrupts, stopRun, submitRun } from '@shallot/core/work';
import { scriptedModel } from '@shallot/testing';
import { afterAll, expect, onTestFinished, test } from 'vitest';

import { openStore } from '../test/open-store.ts';
import { query, startPostgres } from '../test/postgres-server.ts';
import { runRecord } from '../test/run-record.ts';
import { postgresFiles } from './files/index.ts';
import type { PostgresStore, PostgresStoreOptions } from './index.ts';
import { graphileQueue } from './queue/index.ts';

const server = await startPostgres(18);
afterAll(() => server.stop());

const roles = { worker: 'work', 'web "server"': 'submit', reader: 'read' } as const;

interface Database {
  readonly url: string;
  readonly owner: PostgresStore;
  as(role: keyof typeof roles | 'owner'): string;
}

/** A database whose tables belong to a role that is no superuser, with a role for each kind of rights. */
async function open(options: Partial<PostgresStoreOptions> = {}): Promise<Database> {
  const url = await server.newDatabase();
  const name = url.split('/').at(-1) ?? '';
  const as = (role: string): string => url.replace('postgres@', `${encodeURIComponent(`${role} ${name}`)}@`);
  for (const role of ['owner', ...Object.keys(roles)])
    await query(url, `CREATE USER "${`${role} ${name}`.replaceAll('"', '""')}"`);
  await query(url, `GRANT CREATE ON DATABASE ${name} TO "owner ${name}"`);
  const owner = openStore({ url: as('owner'), ...options });
  await owner.migrate();
  for (const [role, rights] of Object.entries(roles))
    await query(as('owner'), owner.grants?.(`${role} ${name}`, rights) ?? '');
  return { url, owner, as };
}

async function refusal(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'nothing was refused',
    (error: unknown) => (isShallotError(error) ? `${error.code} ${error.message}` : String(error)),
  );
}

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object' },
  execute: async (_, { interrupt }) =>
    interrupt({ kind: 'question', payload: 'Sure?', answer: { type: 'string' } }),
});

test('one role owns the tables, one works, one submits and answers, with a queue', async () => {
  const { owner, as } = await open({ queue: true });
  const limited = { migrate: false, queue: true } as const;
  const web = openStore({ url: as('web "server"'), ...limited });
  const store = openStore({ url: as('worker'), ...limited });
  const queue = graphileQueue({ url: as('worker') });
  const model = scriptedModel([{ toolCalls: [{ name: 'pay', args: {} }] }, { text: 'Paid.' }]);
  const agent = await createAgent({ name: 'agent', model, store, tools: [pay], log: 'silent' });
  const stopping = new AbortController();
  // Only the queue is prompt enough.
  const working = agent.work({ queue, intervalMs: 60_000, signal: stopping.signal });
  onTestFinished(async () => {
    stopping.abort();
    await working;
    await agent.close();
    await queue.close();
  });
  await submitRun(web, 's', 'Pay', { agent: 'agent' });
  for await (const event of followRun(web, 's')) expect(event.type).not.toBe('error');
  const [question] = await pendingInterrupts(web, 's');
  await answerInterrupts(web, 's', { [question?.id ?? '']: 'yes' });
  for await (const event of followRun(web, 's')) expect(event.type).not.toBe('error');
  expect((await owner.load('s'))?.run?.status).toBe('completed');
  await stopRun(web, 's');
  expect(await web.delete('s')).toBe(true);
});

test('a role that reads lists, loads, follows, counts and reads files, and changes nothing', async () => {
  const { owner, as } = await open({ queue: true });
  await owner.commit('s', 0, { run: runRecord('r') });
  const [files, own] = [
    postgresFiles({ url: as('reader'), migrate: false }),
    postgresFiles({ url: as('worker'), migrate: false }),
  ];
  onTestFinished(async () => void (await Promise.all([files.close(), own.close()])));
  await own.write('/a', 'text');
  expect((await files.readText('/a')).text).toBe('text');
  const store = openStore({ url: as('reader'), migrate: false });
  expect((await store.load('s'))?.run?.id).toBe('r');
  expect((await storeStats(store)).sessions).toEqual({ running: 1 });
  const missing = /STORE_FAILED .*permission denied.*Grant the right/;
  expect(await refusal(store.commit('s', 1, { run: runRecord('r') }))).toMatch(missing);
  expect(await refusal(store.delete('s'))).toMatch(missing);
  expect(await refusal(store.requestStop('s'))).toMatch(missing);
  expect(await refusal(files.write('/a', 'other'))).toMatch(/permission denied/);
  expect(await refusal(store.migrate())).toMatch(/nothing was refused/);
  const wake = query(as('reader'), 'SELECT shallot.wake_workers(digest) FROM shallot.sessions');
  expect(await refusal(wake)).toMatch(/permission denied for function wake_workers/);
});

test('a role that works may not change the tables', async () => {
  const { as } = await open();
  for (const sql of [
    'DROP TABLE shallot.live',
    'INSERT INTO shallot.versions VALUES (9, 9)',
    'CREATE TABLE shallot.mine ()',
  ])
    expect(await refusal(query(as('worker'), sql))).toMatch(/permission denied|must be owner/);
});

test('a run goes on when its worker loses a right for a while', async () => {
  const { url, owner, as } = await open();
  const store = openStore({ url: as('worker'), migrate: false });
  const role = `"worker ${url.split('/').at(-1)}"`;
  let calls = 0;
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    effect: 'read',
    input: { type: 'object' },
    async execute() {
      calls += 1;
      if (calls === 1) await query(as('owner'), `REVOKE INSERT ON shallot.messages FROM ${role}`);
      return 'seen';
    },
  });
  const model = scriptedModel([
    { toolCalls: [{ name: 'look', args: {} }] },
    { text: 'Done.' },
    ...Array.from({ length: 20 }, () => ({ text: 'Done.' })),
  ]);
  const lines: string[] = [];
  const agent = await createAgent({
    name: 'agent',
    model,
    store,
    tools: [look],
    claimMs: 200,
    log: 'warn',
    logStream: { write: (line: string) => void lines.push(line) },
  });
  const stopping = new AbortController();
  const working = agent.work({ intervalMs: 20, retryPauseMs: 20, signal: stopping.signal });
  onTestFinished(async () => {
    stopping.abort();
    await working;
    await agent.close();
  });
  await submitRun(owner, 's', 'Look', { agent: 'agent' });
  await expect.poll(() => lines.join('')).toMatch(/permission denied for table messages/);
  await query(as('owner'), `GRANT INSERT ON shallot.messages TO ${role}`);
  await expect.poll(async () => (await owner.load('s'))?.run?.status).toBe('completed');
});

test.each(['', 'a\0b', 'x'.repeat(64)])('no name of a role: %j', async (role) => {
  const store = openStore({ url: server.url });
  expect(() => store.grants?.(role, 'read')).toThrow(/no name of a role/);
});

test('statistics tell what waits for whom, what runs where, and what is parked with which error', async () => {
  const store = openStore({ url: await server.newDatabase() });
  expect(await storeStats(store)).toEqual({ sessions: {}, damaged: 0, waiting: [], running: [], parked: [] });
  const run = runRecord('r');
  const agent = { id: 'support', version: '1.0.0' };
  for (const id of ['a', 'b']) await store.commit(id, 0, { run: { ...run, agent }, about: { owner: 'ann' } });
  await store.commit('c', 0, { run });
  await store.commit('held', 0, {
    run,
    claim: { owner: 'o', host: 'elsewhere', pid: 7, expiresAt: Date.now() + 60_000 },
  });
  await store.commit('parked', 0, {
    run: { ...run, parked: true, failure: { code: 'RUN_STUCK', message: 'x' } },
  });
  const stats = await storeStats(store);
  expect(stats).toMatchObject({
    sessions: { running: 4, parked: 1 },
    damaged: 0,
    running: [{ host: 'elsewhere', pid: 7, count: 1 }],
    parked: [{ reason: 'RUN_STUCK', count: 1 }],
  });
  expect(stats.waiting).toMatchObject([
    { agent: 'support', version: '1.0.0', owner: 'ann', count: 2 },
    { count: 1 },
  ]);
});
