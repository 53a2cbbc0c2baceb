import { memoryStore, ShallotError } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import { expect, onTestFinished, test, vi } from 'vitest';

import { messagesOf, readLeaving, readSome, shownBefore } from '../test/leaving-client.ts';
import { slowAgent } from '../test/slow-agent.ts';
import { createServer, type AgentServer } from './create-server.ts';

async function serve(
  steps: number,
): Promise<{ first: AgentServer; second: AgentServer; messages(): Promise<readonly string[]> }> {
  const store = memoryStore();
  const agent = await slowAgent(store, steps);
  const limits = { requestsPerMinute: 10_000 };
  const first = createServer({ agent, store }, { limits });
  // It executes nothing, and has what it knows from the store alone.
  const second = createServer({ agent, store }, { execute: 'workers', limits });
  onTestFinished(async () => {
    await Promise.all([first.close(), second.close()]);
    await agent.close();
  });
  return {
    first,
    second,
    messages: async () => (await store.load('a'))?.messages.map(({ id }) => id) ?? [],
  };
}

function begin({ fetch }: AgentServer, query = ''): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ id: 'a', input: 'Look' });
  return fetch(new Request(`http://localhost/sessions${query}`, { method: 'POST', headers, body }));
}

/** Numbers from a seed, the same in each run of the test. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647);
}

test('clients that leave at random get each event once, as one that stays', async () => {
  const { first, messages } = await serve(12);
  await begin(first);
  const next = numbers(7);
  const [stayed, ...left] = await Promise.all([
    readLeaving(first, 'a', () => Infinity),
    ...Array.from({ length: 8 }, () => readLeaving(first, 'a', () => 1 + (next() % 5))),
  ]);
  const ids = stayed.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(messagesOf(stayed)).toEqual(await messages());
  for (const events of left) {
    // Nobody lags behind the log here, so nothing is taken back.
    expect(events.map(({ id }) => id)).toEqual(ids);
  }
});

test('a client that changes between servers has the messages of the run, each once', async () => {
  const { first, second, messages } = await serve(8);
  await begin(first);
  const next = numbers(11);
  const either = { fetch: (request: Request) => (next() % 2 === 0 ? first : second).fetch(request) };
  const events = await readLeaving(either, 'a', () => 1 + (next() % 4));
  expect(messagesOf(events)).toEqual(await messages());
});

test('another server takes back the step in progress, and sends what was committed since', async () => {
  const { first, second } = await serve(3);
  await begin(first);
  const all = await readLeaving(first, 'a', () => Infinity);
  const third = all.filter(({ type }) => type === 'message' || type === 'tool-end')[2];
  const events = await readSome(second, 'a', { after: third?.id });
  expect(events?.map(({ type }) => type)).toEqual(['restart', 'message', 'tool-end', 'message', 'run-end']);
});

test('a client whose server loses the store in between has each message once', async () => {
  const store = memoryStore();
  let reads = 0;
  const { list } = store;
  const failing = {
    ...store,
    list(filter: Parameters<typeof list>[0]) {
      reads += 1;
      if (reads % 10 === 0) throw new ShallotError('STORE_FAILED', { message: 'It is away.' });
      return list(filter);
    },
  };
  const agent = await slowAgent(store, 6);
  // Only what followers read fails.
  const server = createServer({ agent, store: failing }, { onError: () => undefined });
  onTestFinished(async () => {
    await server.close();
    await agent.close();
  });
  await begin(server);
  const events = await readLeaving(server, 'a', () => Infinity);
  expect(reads).toBeGreaterThan(10);
  for (const { shown, text } of shownBefore(events))
    expect([text, text.startsWith(shown)]).toEqual([text, true]);
  expect(messagesOf(events)).toEqual((await store.load('a'))?.messages.map(({ id }) => id));
});

test('a place of another run is answered with reload', async () => {
  const { first } = await serve(1);
  await begin(first);
  await readLeaving(first, 'a', () => Infinity);
  const events = await readSome(first, 'a', { after: 'abc.5.2.abc' });
  expect(events?.map(({ type }) => type)).toEqual(['reload', 'message', 'message', 'run-end']);
});

test.each(['/sessions/a/events', '/chat/a/stream'])('HEAD %s leaves no follower behind', async (path) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const followers = new Set<() => void>();
  const store: Store = {
    ...memoryStore(),
    async watch(_, listener) {
      followers.add(listener);
      return () => void followers.delete(listener);
    },
  };
  const agent = await slowAgent(store, 1);
  const server = createServer({ agent, store }, { execute: 'workers' });
  onTestFinished(async () => {
    await server.close();
    await agent.close();
  });
  await begin(server);
  const { status } = await server.fetch(new Request(`http://localhost${path}`, { method: 'HEAD' }));
  expect([status, followers.size]).toEqual([200, 1]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(followers.size).toBe(0);
});

test('a client that waits reads the session when the store reports a change, and rarely otherwise', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let [reads, report] = [0, (): void => undefined];
  const inner = memoryStore();
  const { head = inner.load } = inner;
  const store: Store = {
    ...inner,
    head(sessionId) {
      reads += 1;
      return head(sessionId);
    },
    async watch(_, listener) {
      report = listener;
      return () => undefined;
    },
  };
  const agent = await slowAgent(store, 1);
  const server = createServer({ agent, store }, { execute: 'workers' });
  onTestFinished(async () => {
    await server.close();
    await agent.close();
  });
  const answer = begin(server, '?wait=60');
  await vi.advanceTimersByTimeAsync(100);
  const before = reads;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(reads - before).toBeLessThan(6);
  const { revision = 0, run } = (await inner.load('a')) ?? {};
  if (run === undefined) throw new Error('Nothing was submitted.');
  await inner.commit('a', revision, { run: { ...run, status: 'completed' } });
  report();
  expect(await (await answer).json()).toMatchObject({ run: { status: 'completed' } });
});
