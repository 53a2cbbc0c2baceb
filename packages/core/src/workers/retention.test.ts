import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';

import { scriptedModel } from '../../../testing/src/index.ts';
import { createAgent } from '../create-agent.ts';
import { memoryFiles } from '../files/index.ts';
import { definePlugin, memoryStore, type Agent, type AgentOptions } from '../index.ts';
import { modelError } from '../model.ts';
import type { Store } from '../store.ts';
import { submitRun, type Keep, type WorkOptions } from '../work.ts';

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
