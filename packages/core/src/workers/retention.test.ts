import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';

import { scriptedModel } from '../../../testing/src/index.ts';
import { runRecord } from '../../../testing/src/store/store-samples.ts';
import { notedLog } from '../../test/noted-log.ts';
import { ShallotError } from '../base/errors.ts';
import { createAgent } from '../create-agent.ts';
import { memoryFiles } from '../files/index.ts';
import { definePlugin, memoryStore, type Agent, type AgentOptions } from '../index.ts';
import { modelError } from '../model.ts';
import type { Store } from '../store.ts';
import { submitRun, type Keep, type WorkOptions } from '../work.ts';
import { Retention } from './retention.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

beforeEach(
  () =>
    void vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    }),
);
afterEach(() => void vi.useRealTimers());

/** Writes a file for each session, before each answer. */
const diary = definePlugin({
  name: 'diary',
  setup({ hooks, sessionPath }) {
    const notes = sessionPath({ directory: '/diaries', extension: '.md' });
    hooks.beforeModel.tap('write', async (_request, run) => {
      await run.files.append(await notes(run), 'Dear diary\n');
    });
  },
})();

/** An agent, and what it logs. */
async function start(
  store: Store,
  options: Partial<AgentOptions> = {},
): Promise<{ readonly agent: Agent; readonly lines: string[] }> {
  const lines: string[] = [];
  const agent = await createAgent({
    name: 'tea',
    model: scriptedModel(Array.from({ length: 300 }, () => ({ text: 'tea' }))),
    store,
    log: 'info',
    logStream: { write: (line: string) => void lines.push(line) },
    ...options,
  });
  return { agent, lines };
}

/** Lets an agent work until the returned function is called, or the test ends. */
function work(agent: Agent, keep: Keep, terms: WorkOptions = {}): () => Promise<void> {
  const stopping = new AbortController();
  const working = agent.work({ intervalMs: hourMs / 4, keep, signal: stopping.signal, ...terms });
  const stop = async (): Promise<void> => {
    stopping.abort();
    await working;
  };
  onTestFinished(stop);
  return stop;
}

async function idsIn(store: Store): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of store.list()) ids.push(id);
  return ids.toSorted();
}

test('sessions go once their time is over, with their files, and by a status each', async () => {
  const [store, files] = [memoryStore(), memoryFiles()];
  const failing = { error: modelError('MODEL_AUTH', { message: 'no key', transient: false }) };
  const model = scriptedModel([{ text: 'tea' }, failing, { text: 'tea' }]);
  const { agent, lines } = await start(store, { model, files, plugins: [diary] });
  await agent.run('Hello', { sessionId: 'completed' });
  await expect(agent.run('Hello', { sessionId: 'failed' })).rejects.toThrow('no key');
  await vi.advanceTimersByTimeAsync(20 * dayMs);
  await agent.run('Hello', { sessionId: 'recent' });
  work(agent, { completed: '30d', failed: '90d' });
  await vi.advanceTimersByTimeAsync(12 * dayMs);
  expect(await idsIn(store)).toEqual(['failed', 'recent']);
  expect((await files.list('/diaries')).map(({ path }) => path)).toEqual([
    '/diaries/failed.md',
    '/diaries/recent.md',
  ]);
  expect(lines.join('')).toContain('Deleted 1 sessions whose time to keep them was over.');
  await vi.advanceTimersByTimeAsync(60 * dayMs);
  expect(await idsIn(store)).toEqual([]);
});

test('whatever runs, is due, waits, or is of another agent stays, also while it is looked at', async () => {
  const inner = memoryStore();
  const busy = { error: modelError('MODEL_OVERLOADED', { message: 'busy', transient: true }) };
  const { agent: other } = await start(inner, { name: 'coffee' });
  await other.run('Hello', { sessionId: 'of another' });
  const { agent } = await start(inner, { model: scriptedModel([{ text: 'tea' }, busy]) });
  await agent.run('Hello', { sessionId: 'changed' });
  await expect(agent.run('Hello', { sessionId: 'failed' })).rejects.toThrow('busy');
  // A run that a worker will try again.
  const { run, revision = 0 } = (await inner.load('failed')) ?? {};
  if (run === undefined) throw new Error('There is no run.');
  await inner.commit('failed', revision, {
    run: { ...run, submitted: {}, agent: { id: 'tea', version: '1' } },
  });
  await submitRun(inner, 'for another version', 'Hello', { agent: 'tea' });
  const { run: waiting, revision: at = 0 } = (await inner.load('for another version')) ?? {};
  await inner.commit('for another version', at, {
    run: { ...(waiting as NonNullable<typeof waiting>), agent: { id: 'tea', version: '1' } },
  });
  await vi.advanceTimersByTimeAsync(90 * dayMs);
  // Somebody comes back at the moment of its deletion.
  const store: Store = {
    ...inner,
    delete: async (id, options) => {
      const { revision: seen = 0 } = (await inner.load(id)) ?? {};
      await inner.commit(id, seen, {});
      return inner.delete(id, options);
    },
  };
  const { agent: worker } = await start(store, { version: '2' });
  work(worker, { completed: '1h', failed: '1h', aborted: '1h' }, { versions: 'same' });
  await vi.advanceTimersByTimeAsync(2 * dayMs);
  expect(await idsIn(inner)).toEqual(['changed', 'failed', 'for another version', 'of another']);
});

test('one of several workers does it, once a day, and where they differ the longest time counts', async () => {
  const store = memoryStore();
  const takeDuty = vi.fn<NonNullable<Store['takeDuty']>>(store.takeDuty);
  const watched: Store = { ...store, takeDuty };
  const first = await start(watched);
  for (const id of ['a', 'b']) await first.agent.run('Hello', { sessionId: id });
  await vi.advanceTimersByTimeAsync(10 * dayMs);
  const second = await start(watched);
  work(first.agent, { completed: '7d', failed: '1h' });
  const stop = work(second.agent, { completed: '30d' });
  await vi.advanceTimersByTimeAsync(5 * dayMs);
  expect(await idsIn(store)).toEqual(['a', 'b']);
  const said = [...first.lines, ...second.lines].filter((line) => line.includes('RETENTION_DIFFERS'));
  expect(said.length).toBeGreaterThan(0);
  const taken = await Promise.all(
    takeDuty.mock.results.map(({ value }) => value as ReturnType<typeof takeDuty>),
  );
  expect(taken.filter((each) => each?.isTaken).length).toBeLessThanOrEqual(5);
  // The other one is gone for good.
  await stop();
  await vi.advanceTimersByTimeAsync(4 * dayMs);
  expect(await idsIn(store)).toEqual([]);
});

test('a store that has to be asked again is asked an hour later', async () => {
  const inner = memoryStore();
  let isAway = true;
  const store: Store = {
    ...inner,
    takeDuty: async (...given) => {
      if (isAway) throw new Error('away');
      return (await inner.takeDuty?.(...given)) ?? { isTaken: false, terms: [] };
    },
  };
  const { agent, lines } = await start(store);
  await agent.run('Hello', { sessionId: 's' });
  await vi.advanceTimersByTimeAsync(dayMs);
  work(agent, { completed: '1h' });
  await vi.advanceTimersByTimeAsync(hourMs / 2);
  expect(lines.join('')).toContain('could not be deleted; the next worker goes on: away');
  isAway = false;
  await vi.advanceTimersByTimeAsync(3 * hourMs);
  expect(await idsIn(inner)).toEqual([]);
});

test.each([
  { running: '30d' },
  { completed: '30' },
  { completed: '0d' },
  { completed: '10m' },
  { completed: 30 },
  { completed: '-1d' },
])('%j is refused', async (keep) => {
  const { agent } = await start(memoryStore());
  await expect(agent.work({ keep: keep as Keep })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
});

test('a store that cannot give the duty to one of several is refused', async () => {
  const { takeDuty: _, ...store } = memoryStore();
  const { agent } = await start(store);
  await expect(agent.work({ keep: { completed: '30d' } })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
});

test('a worker that keeps everything asks for no duty', async () => {
  const store = memoryStore();
  const takeDuty = vi.fn<NonNullable<Store['takeDuty']>>(async () => ({ isTaken: false, terms: [] }));
  const { agent } = await start({ ...store, takeDuty });
  work(agent, {});
  await vi.advanceTimersByTimeAsync(2 * hourMs);
  expect(takeDuty).not.toHaveBeenCalled();
  work(agent, { completed: '30d' });
  await vi.advanceTimersByTimeAsync(hourMs);
  expect(takeDuty).toHaveBeenCalled();
});

/** Deletes the sessions of a store whose completed run is more than an hour old, a day later, and says what it did. */
async function deleting(
  ids: readonly string[],
  fail: (sessionId: string) => void = () => {},
  store: Store = memoryStore(),
) {
  for (const id of ids) await store.commit(id, 0, { run: runRecord('r', 'completed') });
  const { log, lines } = notedLog();
  const removed: unknown[] = [];
  const retention = new Retention(
    { store, log, identity: undefined },
    { keep: { completed: '1h' } },
    async ({ summary, metadata }) => {
      removed.push([summary.id, metadata]);
      fail(summary.id);
      await store.delete(summary.id);
    },
  );
  retention.check();
  await vi.advanceTimersByTimeAsync(dayMs);
  retention.check();
  await vi.advanceTimersByTimeAsync(0);
  return { store, retention, lines, removed };
}

const error = (code: ConstructorParameters<typeof ShallotError>[0]): ShallotError =>
  new ShallotError(code, { message: 'no' });

test('a pause of a second follows each hundred deletions, and ends with the work', async () => {
  const pauses: [ms: number | undefined, end: () => void][] = [];
  const pause = vi.spyOn(timers, 'setTimeout').mockImplementation(async (ms, _, options) => {
    const { promise, resolve, reject } = Promise.withResolvers<never>();
    options?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
    pauses.push([ms, () => resolve(undefined as never)]);
    return promise;
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    pause.mockRestore();
    syncBuiltinESMExports();
  });
  const ids = Array.from({ length: 301 }, (_, index) => `s${index}`);
  const { removed, retention, lines } = await deleting(ids);
  expect([removed.length, pauses.map(([ms]) => ms)]).toEqual([100, [1000]]);
  pauses[0]?.[1]();
  await vi.advanceTimersByTimeAsync(0);
  expect([removed.length, pauses.length]).toEqual([200, 2]);
  await retention.stop();
  await vi.advanceTimersByTimeAsync(dayMs);
  expect(removed).toHaveLength(200);
  expect(lines).toEqual([]);
});

test('all sessions that may go are counted, with the metadata of their runs', async () => {
  const store = memoryStore();
  const submitted = { metadata: { user: 1 } };
  await store.commit('m', 0, { run: { ...runRecord('r', 'completed'), submitted } });
  const { removed, lines } = await deleting(['a'], undefined, store);
  expect(removed).toEqual([
    ['a', {}],
    ['m', { user: 1 }],
  ]);
  expect(lines).toEqual([['info', { deleted: 2 }, 'Deleted 2 sessions whose time to keep them was over.']]);
});

test.each(['STORE_CONFLICT', 'SESSION_BUSY'] as const)(
  'a session that somebody needs stays without a word: %s',
  async (code) => {
    const { store, lines } = await deleting(['a', 'b'], (id) => {
      if (id === 'a') throw error(code);
    });
    expect(await idsIn(store)).toEqual(['a']);
    expect(lines.map(([, details]) => details)).toEqual([{ deleted: 1 }]);
  },
);

test.each(['STORE_DAMAGED', 'FILES_FAILED'] as const)(
  'a session that cannot be deleted stays, which is said, and others go: %s',
  async (code) => {
    const { store, lines } = await deleting(['a', 'b'], (id) => {
      if (id === 'b') throw error(code as 'STORE_DAMAGED');
    });
    expect(await idsIn(store)).toEqual(['b']);
    expect(lines).toEqual([
      ['warn', { sessionId: 'b', code }, 'Session "b" was kept: no'],
      ['info', { deleted: 1 }, 'Deleted 1 sessions whose time to keep them was over.'],
    ]);
  },
);

test('a store that fails ends the deletion until the next time', async () => {
  const { store, lines } = await deleting(['a', 'b'], () => {
    throw error('STORE_FAILED');
  });
  expect(await idsIn(store)).toEqual(['a', 'b']);
  expect(lines.map(([, details]) => details)).toEqual([{ code: 'STORE_FAILED' }]);
});

test('sessions that have changed, or are gone, since they were listed stay', async () => {
  const store = memoryStore();
  const { head } = store;
  store.head = async (id) => {
    const found = await head?.(id);
    if (id === 'gone') return undefined;
    return found && { ...found, revision: found.revision + (id === 'changed' ? 1 : 0) };
  };
  const { removed } = await deleting(['changed', 'gone', 'old'], undefined, store);
  expect(removed).toEqual([['old', {}]]);
});

test('damaged sessions, and those whose time is not over, stay', async () => {
  const store = memoryStore();
  const { list } = store;
  const begin = Date.now();
  store.list = async function* changed(filter) {
    for await (const each of list(filter)) {
      if (each.id === 'damaged') yield { ...each, damaged: true };
      else yield { ...each, updatedAt: begin + dayMs - hourMs - (each.id === 'over' ? 1 : 0) };
    }
  };
  const { removed } = await deleting(['damaged', 'over', 'just not'], undefined, store);
  expect(removed).toEqual([['over', {}]]);
});

test('the duty to delete is asked for once an hour, and not while it is performed', async () => {
  const store = memoryStore();
  const slow = Promise.withResolvers<void>();
  let asked = 0;
  store.takeDuty = async () => {
    asked += 1;
    if (asked === 3) await slow.promise;
    return { isTaken: false, terms: [] };
  };
  const parts = { store, log: notedLog().log, identity: undefined };
  const retention = new Retention(parts, { keep: { completed: '1h' } }, async () => {});
  const asks: number[] = [];
  for (const pause of [0, hourMs - 1, 1, hourMs, hourMs]) {
    await vi.advanceTimersByTimeAsync(pause);
    retention.check();
    await vi.advanceTimersByTimeAsync(0);
    asks.push(asked);
  }
  expect(asks).toEqual([1, 1, 2, 3, 3]);
  slow.resolve();
  await vi.advanceTimersByTimeAsync(0);
  retention.check();
  expect(asked).toBe(4);
  await retention.stop();
});

test('the duty is that of an agent and its filter, with the terms in one order', async () => {
  const store = memoryStore();
  const takeDuty = vi.spyOn(store, 'takeDuty');
  const log = notedLog().log;
  const filter = { owner: 'ann' };
  for (const [identity, keep] of [
    [undefined, { failed: '1d', completed: '1h' }],
    [{ id: 'bee' }, { completed: '1h', failed: '1d' }],
  ] as const) {
    new Retention({ store, log, identity }, { keep, filter }, async () => {}).check();
    await vi.advanceTimersByTimeAsync(0);
  }
  const terms = JSON.stringify({ completed: hourMs, failed: dayMs });
  expect(takeDuty.mock.calls).toEqual([
    [JSON.stringify(['retention', null, filter]), terms, dayMs],
    [JSON.stringify(['retention', 'bee', filter]), terms, dayMs],
  ]);
});
