import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';

import { scriptedModel } from '../../../testing/src/index.ts';
import { createAgent } from '../create-agent.ts';
import { defineTool, memoryStore, ShallotError, type AgentOptions } from '../index.ts';
import type { Queue, RunRecord, Store } from '../store.ts';
import { answerInterrupts, followRun, submitRun, type WorkerHealth, type WorkOptions } from '../work.ts';

const patience = { timeout: 15_000 };

/** An agent that works until the test ends, and its log. */
async function startWorker(
  store: Store,
  texts: readonly string[],
  terms: WorkOptions = {},
  options: Partial<AgentOptions> = {},
): Promise<{ readonly lines: string[]; readonly stop: () => Promise<void> }> {
  const lines: string[] = [];
  const agent = await createAgent({
    model: scriptedModel(texts.map((text) => ({ text }))),
    store,
    log: 'info',
    logStream: { write: (line: string) => void lines.push(line) },
    ...options,
  });
  const stopping = new AbortController();
  const working = agent.work({ intervalMs: 1, signal: stopping.signal, ...terms });
  const stop = async (): Promise<void> => {
    stopping.abort();
    await working;
    await agent.close();
  };
  onTestFinished(stop);
  return { lines, stop };
}

/** A store as that of another process: nothing of it is known without asking it. */
function elsewhere(store: Store, changed: Partial<Store> = {}): Store {
  return { ...store, load: (sessionId) => store.load(sessionId), ...changed };
}

async function end(store: Store, sessionId: string): Promise<string | undefined> {
  let last: string | undefined;
  for await (const event of followRun(store, sessionId, { intervalMs: 5 }))
    if (event.type === 'run-end') last = event.outcome;
  return last;
}

async function listed(store: Store, filter: Parameters<Store['list']>[0]): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of store.list(filter)) ids.push(id);
  return ids;
}

const asked: RunRecord['interrupts'] = [
  {
    id: 'int_1',
    kind: 'question',
    plugin: 'core',
    payload: 'Sure?',
    answerSchema: { type: 'string' },
    createdAt: '2026-01-01T00:00:00.000Z',
  },
];

/** Puts a session with a run into a store. */
async function put(store: Store, change: Partial<RunRecord>): Promise<RunRecord> {
  await submitRun(store, 's', 'Hello');
  const { run, revision = 0 } = (await store.load('s')) ?? {};
  if (run === undefined) throw new Error('Nothing was submitted.');
  await store.commit('s', revision, { run: { ...run, ...change } });
  return { ...run, ...change };
}

/** Puts a session with a run into a store that began with a plugin which no worker of these tests has. */
async function begunWithPlugin(store: Store): Promise<void> {
  await put(store, { submitted: {}, plugins: { gone: { name: 'gone' } } });
}

describe('what the store refuses', () => {
  test.each(['STORE_DAMAGED', 'STORE_FAILED'] as const)(
    'waits in the memory of the worker, is said once and keeps nobody waiting: %s',
    async (code) => {
      const inner = memoryStore();
      let [loads, looks] = [0, 0];
      const store = elsewhere(inner, {
        async load(sessionId) {
          if (sessionId !== 'refused') return inner.load(sessionId);
          loads += 1;
          throw new ShallotError(code, { message: 'refused' });
        },
        list(filter) {
          looks += 1;
          return inner.list(filter);
        },
      });
      for (const id of ['refused', 'fresh']) await submitRun(inner, id, 'Hello');
      const before = await inner.load('refused');
      const { lines } = await startWorker(store, ['Hi'], { concurrency: 1 });
      expect(await end(inner, 'fresh')).toBe('completed');
      await vi.waitUntil(() => looks > 50, patience);
      expect(loads).toBe(1);
      expect(lines.filter((line) => line.includes(code))).toHaveLength(1);
      expect(await inner.load('refused')).toEqual(before);
    },
  );

  test('a run that its store failed is tried again, and is not parked for it', async () => {
    const inner = memoryStore();
    let failures = 0;
    const store = elsewhere(inner, {
      commit(sessionId, revision, change) {
        const isTurn = change.append?.some(({ role }) => role === 'assistant') === true;
        if (!isTurn || failures === 5) return inner.commit(sessionId, revision, change);
        failures += 1;
        throw new ShallotError('STORE_FAILED', { message: 'away', transient: true });
      },
    });
    await submitRun(inner, 's', 'Hello');
    const texts = Array.from({ length: 6 }, () => 'Hi');
    await startWorker(store, texts, { retryPauseMs: 0 }, { claimMs: 30 });
    await vi.waitUntil(async () => (await inner.load('s'))?.run?.status === 'completed', patience);
    expect(failures).toBe(5);
  });

  test('a run whose steps the store refuses is tried after longer and longer pauses, and said once', async () => {
    const inner = memoryStore();
    const refusedAt: number[] = [];
    const store = elsewhere(inner, {
      commit(sessionId, revision, change) {
        const isTurn = change.append?.some(({ role }) => role === 'assistant') === true;
        if (!isTurn) return inner.commit(sessionId, revision, change);
        refusedAt.push(performance.now());
        throw new ShallotError('STORE_FAILED', { message: 'no right' });
      },
    });
    await submitRun(inner, 's', 'Hello');
    const texts = Array.from({ length: 9 }, () => 'Hi');
    const { lines } = await startWorker(store, texts, { retryPauseMs: 20 });
    await vi.waitUntil(() => refusedAt.length > 4, patience);
    const pauses = refusedAt.slice(1).map((at, index) => at - (refusedAt[index] ?? 0));
    expect(pauses[3]).toBeGreaterThan(150);
    expect(lines.filter((line) => line.includes('no right'))).toHaveLength(1);
  });
});

test('the next run of a session is taken by a worker that left the one before to others', async () => {
  const store = memoryStore();
  await begunWithPlugin(store);
  const { lines } = await startWorker(elsewhere(store), ['Hi'], { warnAfterMs: 20 });
  await vi.waitUntil(() => lines.join('').includes('Left to another worker'), patience);
  await submitRun(store, 's', 'Hello again', { abandon: true });
  expect(await end(store, 's')).toBe('completed');
});

describe('parking', () => {
  const failing: WorkOptions = { retryPauseMs: 1 };

  test('a run that went on since the worker read it is left alone', async () => {
    const store = memoryStore();
    const run = await put(store, { attempts: { count: 2, notBefore: 0 } });
    const { lines } = await startWorker(elsewhere(store), [], {
      ...failing,
      async context() {
        // Another worker has gone on with it, and its question waits for a person.
        const { revision = 0 } = (await store.load('s')) ?? {};
        await store.commit('s', revision, { run: { ...run, status: 'interrupted', interrupts: asked } });
        throw new Error('no such user');
      },
    });
    await vi.waitUntil(() => lines.join('').includes('no such user'), patience);
    await vi.waitUntil(async () => (await listed(store, { resumable: true })).length === 0, patience);
    expect((await store.load('s'))?.run?.parked).toBeUndefined();
    expect(await listed(store, { status: 'interrupted' })).toEqual(['s']);
  });

  test('a run with an open question is never parked', async () => {
    const store = memoryStore();
    await put(store, { status: 'running', attempts: { count: 3, notBefore: 0 }, interrupts: asked });
    await startWorker(elsewhere(store), [], failing);
    await vi.waitUntil(async () => (await store.load('s'))?.run?.status === 'interrupted', patience);
    expect((await store.load('s'))?.run?.parked).toBeUndefined();
  });

  test('a run that failed for a while and then cannot be resumed is tried again, before it is parked', async () => {
    const store = memoryStore();
    const failure = { code: 'MODEL_FAILED', message: 'overloaded', transient: true } as const;
    await put(store, { status: 'failed', failure });
    let tries = 0;
    await startWorker(elsewhere(store), [], {
      ...failing,
      context() {
        tries += 1;
        throw new Error('no users for now');
      },
    });
    await vi.waitUntil(async () => (await listed(store, { status: 'parked' })).length === 1, patience);
    expect(tries).toBe(3);
  });

  test('a run of which only some questions are answered is parked until the others are', async () => {
    const store = memoryStore();
    const [first] = asked;
    const interrupts = [
      { ...first, id: 'int_1', call: { id: 'call_1', name: 'tool', input: {} } },
      { ...first, id: 'int_2', call: { id: 'call_2', name: 'tool', input: {} } },
    ] as RunRecord['interrupts'];
    await put(store, {
      status: 'interrupted',
      attempts: { count: 3, notBefore: 0 },
      interrupts,
      answers: { int_1: 'yes' },
    });
    const { stop } = await startWorker(elsewhere(store), [], failing);
    await vi.waitUntil(async () => (await listed(store, { resumable: true })).length === 0, patience);
    await stop();
    expect(await listed(store, { status: 'parked' })).toEqual(['s']);
    await answerInterrupts(store, 's', { int_2: 'yes' });
    expect(await listed(store, { resumable: true })).toEqual(['s']);
  });

  test('an answer to a parked run leaves it to workers again', async () => {
    const store = memoryStore();
    await put(store, {
      status: 'interrupted',
      attempts: { count: 3, notBefore: Date.now() + 60_000 },
      interrupts: asked,
      parked: true,
    });
    await answerInterrupts(store, 's', { int_1: 'yes' });
    expect(await listed(store, { resumable: true })).toEqual(['s']);
  });
});

test('a queue that names a run which waits for a person, or is parked, resumes nothing', async () => {
  const store = memoryStore();
  await put(store, { status: 'interrupted', interrupts: asked });
  const before = await store.load('s');
  const named = Promise.withResolvers<number | undefined>();
  const queue: Queue = {
    wake: async () => undefined,
    async listen(handler) {
      void handler('s').then(named.resolve, named.reject);
      return async () => undefined;
    },
  };
  await startWorker(elsewhere(store), [], { queue });
  expect(await named.promise).toBeUndefined();
  expect(await store.load('s')).toEqual(before);
});

describe('a store that does not answer', () => {
  beforeEach(
    () =>
      void vi.useFakeTimers({
        toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
      }),
  );
  afterEach(() => void vi.useRealTimers());

  test('a look that hangs is given up, and others follow', async () => {
    const inner = memoryStore();
    let looks = 0;
    const store: Store = {
      ...inner,
      list(filter) {
        looks += 1;
        return looks === 1 ? never() : inner.list(filter);
      },
    };
    await submitRun(store, 's', 'Hello');
    const { stop } = await startWorker(store, ['Hi'], { intervalMs: 5000 });
    await vi.advanceTimersByTimeAsync(70_000);
    expect((await inner.load('s'))?.run?.status).toBe('completed');
    await stop();
  });

  test('the health of a worker says so after a minute, also while it is busy, and when it answers again', async () => {
    const inner = memoryStore();
    let isAway = false;
    const store: Store = { ...inner, list: (filter) => (isAway ? never() : inner.list(filter)) };
    const health: WorkerHealth[] = [];
    const [release, called] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
    const wait = defineTool({
      name: 'wait',
      description: 'Waits.',
      input: { type: 'object' },
      execute: () => (called.resolve(), release.promise),
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'wait', args: {} }] }, { text: 'Hi' }]);
    await submitRun(store, 's', 'Hello');
    const { lines, stop } = await startWorker(
      store,
      [],
      { concurrency: 1, intervalMs: 5000, onHealth: (now) => void health.push(now) },
      { model, tools: [wait] },
    );
    await called.promise;
    await vi.advanceTimersByTimeAsync(120_000);
    expect(health).toEqual([]);
    isAway = true;
    await vi.advanceTimersByTimeAsync(55_000);
    expect(health).toEqual([]);
    await vi.advanceTimersByTimeAsync(65_000);
    expect(health).toMatchObject([{ isHealthy: false }]);
    expect(lines.filter((line) => line.includes('WORKER_CUT_OFF'))).toHaveLength(1);
    isAway = false;
    await vi.advanceTimersByTimeAsync(65_000);
    expect(health).toMatchObject([{ isHealthy: false }, { isHealthy: true }]);
    release.resolve('done');
    await stop();
  });
});

async function* never(): AsyncGenerator<never> {
  yield await new Promise<never>(() => {});
}
