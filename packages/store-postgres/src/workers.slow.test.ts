import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

import { createAgent, defineTool, type AgentEvent } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import type { Queue } from '@shallot/core/store';
import {
  answerInterrupts,
  followRun,
  sendMessage,
  stopRun,
  submitRun,
  type FollowedEvent,
  type WorkOptions,
} from '@shallot/core/work';
import { scriptedModel } from '@shallot/testing';
import { afterAll, expect, onTestFinished, test } from 'vitest';

import { query, startPostgres } from '../test/postgres-server.ts';
import { startProxy } from '../test/start-proxy.ts';
import { postgresStore, type PostgresStore, type PostgresStoreOptions } from './index.ts';
import { graphileQueue } from './queue/index.ts';

const server = await startPostgres(18);
afterAll(() => server.stop());

async function newStore(
  options: Partial<PostgresStoreOptions> = {},
): Promise<{ store: PostgresStore; url: string }> {
  const url = await server.newDatabase();
  const store = postgresStore({ url, poolSize: 3, ...options });
  onTestFinished(() => store.close());
  return { store, url };
}

async function startWorker(
  store: PostgresStore,
  model: ChatModel,
  terms: WorkOptions = {},
): Promise<() => Promise<void>> {
  const agent = await createAgent({ name: 'test', model, store, log: 'silent', tools: [pay, look] });
  const stopping = new AbortController();
  const working = agent.work({ intervalMs: 60_000, retryPauseMs: 1, signal: stopping.signal, ...terms });
  const stop = async (): Promise<void> => {
    stopping.abort();
    await working;
    await agent.close();
  };
  onTestFinished(stop);
  return stop;
}

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object' },
  execute: async (_, { interrupt }) =>
    interrupt({ kind: 'question', payload: 'Sure?', answer: { type: 'string' } }),
});

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  effect: 'read',
  input: { type: 'object' },
  execute: () => 'seen',
});

async function seen(store: PostgresStore, sessionId: string, after?: string): Promise<FollowedEvent[]> {
  const events: FollowedEvent[] = [];
  // Only notifications are prompt enough.
  const options = { intervalMs: 60_000, ...(after === undefined ? {} : { after }) };
  for await (const event of followRun(store, sessionId, options)) events.push(event);
  return events;
}

test('a submitted run wakes a worker by its queue, and its followers by notifications', async () => {
  const { store, url } = await newStore({ queue: true });
  const queue = graphileQueue({ url });
  onTestFinished(() => queue.close());
  await startWorker(store, scriptedModel([{ toolCalls: [{ name: 'pay', args: {} }] }, { text: 'Paid.' }]), {
    queue,
  });
  await submitRun(store, 'a session', 'Pay', { agent: 'test' });
  const events = await seen(store, 'a session');
  expect(events.map(({ type }) => type)).toEqual(['message', 'message', 'interrupt', 'run-end']);

  const asked = events.find((event) => event.type === 'interrupt');
  const last = events.findLast((event) => event.type === 'message');
  await answerInterrupts(store, 'a session', { [asked?.interrupt.id ?? '']: 'yes' });
  const rest = await seen(store, 'a session', last?.message.id);
  expect(rest.map(({ type }) => type)).toEqual(['tool-end', 'message', 'run-end']);
  // A job ends after its run.
  await expect
    .poll(() => query(url, 'SELECT count(*)::int AS n FROM graphile_worker.jobs'))
    .toEqual([{ n: 0 }]);
});

test('a follower in another process sees the answer grow', async () => {
  const { store, url } = await newStore();
  const elsewhere = postgresStore({ url });
  onTestFinished(() => elsewhere.close());
  const release = Promise.withResolvers<void>();
  const model: ChatModel = {
    id: 'test/slow',
    async generate(_, { emit }) {
      void emit({ type: 'text-delta', index: 0, text: 'Good ' });
      void emit({ type: 'text-delta', index: 0, text: 'morning' });
      await release.promise;
      return {
        message: { role: 'assistant', content: [{ type: 'text', text: 'Good morning' }] },
        finish: 'stop',
      };
    },
  };
  await submitRun(store, 's', 'Hello', { agent: 'test', stream: true });
  await startWorker(store, model);
  const live: AgentEvent[] = [];
  for await (const event of followRun(elsewhere, 's', { intervalMs: 60_000 })) {
    if (event.type !== 'live') continue;
    live.push(event.event);
    if (event.event.type === 'text-delta') release.resolve();
  }
  expect(live).toMatchObject([{ type: 'step-start' }, { type: 'text-delta', text: 'Good morning' }]);
  expect(await query(url, 'SELECT count(*)::int AS n FROM shallot.live')).toEqual([{ n: 0 }]);
});

test('a run goes on when the database was restarted in the middle of it', async () => {
  const { store } = await newStore();
  await submitRun(store, 's', 'Hello', { agent: 'test' });
  let isRestarted = false;
  const model: ChatModel = {
    id: 'test/restarting',
    async generate() {
      if (!isRestarted) await server.restart();
      isRestarted = true;
      return { message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }, finish: 'stop' };
    },
  };
  await startWorker(store, model);
  const events: FollowedEvent[] = [];
  for await (const event of followRun(store, 's', { intervalMs: 20 })) events.push(event);
  expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'completed' });
});

test('a worker that stops hands back a run that its queue brought, after the step', async () => {
  const { store, url } = await newStore({ queue: true });
  const queue = graphileQueue({ url });
  onTestFinished(() => queue.close());
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const steps: ChatModel = {
    id: 'test/endless',
    async generate({ messages }) {
      begun.resolve();
      if (messages.length === 1) await release.promise;
      const call = { type: 'tool-call' as const, id: `look-${messages.length}`, name: 'look', input: {} };
      return { message: { role: 'assistant', content: [call] }, finish: 'tool-calls' };
    },
  };
  await submitRun(store, 's', 'Look', { agent: 'test' });
  const stop = await startWorker(store, steps, { queue });
  await begun.promise;
  const stopped = stop();
  release.resolve();
  await stopped;
  const record = await store.load('s');
  expect(record).toMatchObject({ run: { status: 'running', step: 1 } });
  expect(record?.claim).toBeUndefined();
});

test('a queue wakes its worker again after the database was restarted', async () => {
  const { store, url } = await newStore({ queue: true });
  const queue = graphileQueue({ url, pollIntervalMs: 100 });
  onTestFinished(() => queue.close());
  await startWorker(store, scriptedModel([{ text: 'Hi' }, { text: 'Hi' }]), { queue });
  await submitRun(store, 'before', 'Hello', { agent: 'test' });
  await seen(store, 'before');
  await server.restart();
  await submitRun(store, 'after', 'Hello', { agent: 'test' });
  const events: FollowedEvent[] = [];
  for await (const event of followRun(store, 'after', { intervalMs: 50 })) events.push(event);
  expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'completed' });
});

test('a worker with a queue begins before its database does, and is woken once it is there', async () => {
  const { store: outside, url } = await newStore({ queue: true });
  await outside.migrate();
  // A port at which nobody listens yet.
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  free.close();
  await once(free, 'close');
  const later = new URL(url);
  later.port = String(port);
  const store = postgresStore({ url: String(later), queue: true, retryMs: 0 });
  onTestFinished(() => store.close());
  const inner = graphileQueue({ url: String(later) });
  onTestFinished(() => inner.close());
  const listening = Promise.withResolvers<void>();
  const queue: Queue = {
    wake: (...given) => inner.wake(...given),
    async listen(...given) {
      const leave = await inner.listen(...given);
      listening.resolve();
      return leave;
    },
  };
  await startWorker(store, scriptedModel([{ text: 'Hi' }]), { queue });
  await listening.promise;
  await startProxy(url, port);
  await submitRun(outside, 's', 'Hello', { agent: 'test' });
  // It looks for work only once a minute.
  expect((await seen(outside, 's')).at(-1)).toMatchObject({ type: 'run-end', outcome: 'completed' });
});

test('a queue whose tables a role may not use says so, with the code of the store', async () => {
  const { store, url } = await newStore({ queue: true });
  await store.migrate();
  await query(url, 'CREATE ROLE nobody_of_queues LOGIN');
  const own = new URL(url);
  own.username = 'nobody_of_queues';
  const queue = graphileQueue({ url: String(own) });
  onTestFinished(() => queue.close());
  await expect(queue.listen(async () => undefined)).rejects.toMatchObject({
    code: 'STORE_FAILED',
    message: expect.stringContaining('permission denied') as string,
  });
});

test('a commit right before the store is closed is heard of elsewhere', async () => {
  const { url } = await newStore();
  const [one, other] = [postgresStore({ url }), postgresStore({ url })];
  onTestFinished(() => other.close());
  await one.migrate();
  let heard = 0;
  await other.watch?.('second', () => (heard += 1));
  // Whatever was missed until it listened is passed on at once.
  heard = 0;
  await one.commit('first', 0, {});
  await one.commit('second', 0, {});
  await one.close();
  await expect.poll(() => heard).toBe(1);
});

test('a stop and a message from another process reach a run at its next step', async () => {
  const { store, url } = await newStore();
  const elsewhere = postgresStore({ url, poolSize: 1 });
  onTestFinished(() => elsewhere.close());
  let calls = 0;
  const model: ChatModel = {
    id: 'endless/1',
    async generate({ messages }) {
      calls += 1;
      if (calls === 2) await sendMessage(elsewhere, 's', 'Stop soon.');
      if (messages.some(({ role, content }) => role === 'user' && JSON.stringify(content).includes('soon')))
        await stopRun(elsewhere, 's');
      const call = { type: 'tool-call', id: `c${calls}`, name: 'look', input: {} } as const;
      return { message: { role: 'assistant', content: [call] }, finish: 'tool-calls' };
    },
  };
  // Neither a renewal of the claim nor a look can tell the run in time.
  const agent = await createAgent({
    name: 'test',
    model,
    store,
    log: 'silent',
    tools: [look],
    maxSteps: 5000,
    claimMs: 3_600_000,
  });
  await expect(agent.run('Go', { sessionId: 's' })).rejects.toMatchObject({ code: 'RUN_ABORTED' });
  expect((await store.load('s'))?.run).toMatchObject({ status: 'aborted' });
  await agent.close();
});
