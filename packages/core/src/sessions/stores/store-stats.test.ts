import { expect, it, onTestFinished, vi } from 'vitest';

import { message, runRecord } from '../../../../testing/src/store/store-samples.ts';
import { newClaim } from '../../base/claim.ts';
import { ShallotError } from '../../base/errors.ts';
import type { RunRecord, SessionChange, Store } from '../../contract/store.ts';
import { memoryStore } from './memory-store.ts';
import { countStats, storeStats } from './store-stats.ts';

it('sessions are counted by status, and what waits, runs and is parked by more', () => {
  const claim = newClaim('run', 60_000);
  const other = { ...claim, host: 'elsewhere', pid: 7 };
  const stats = countStats([
    { status: 'completed' },
    { status: 'completed', count: 2 },
    { damaged: true },
    { damaged: true, count: 3 },
    { status: 'running', waitingMs: 5, agent: 'a' },
    { status: 'running', waitingMs: 9, agent: 'a', count: 2 },
    { status: 'running', waitingMs: 20, agent: 'a', version: '1', owner: 'o' },
    { status: 'running', waitingMs: 0 },
    { status: 'running', claim },
    { status: 'running', claim: other },
    { status: 'running', claim: other, count: 2 },
    { status: 'running', claim: { ...claim, expiresAt: 0 } },
    { status: 'parked', failure: { code: 'MODEL_EMPTY' } },
    { status: 'parked', failure: { code: 'MODEL_EMPTY' }, count: 2 },
    { status: 'parked' },
  ]);
  expect(stats).toStrictEqual({
    sessions: { completed: 3, running: 10, parked: 4 },
    damaged: 4,
    waiting: [
      { agent: 'a', version: '1', owner: 'o', count: 1, oldestMs: 20 },
      { agent: 'a', count: 3, oldestMs: 9 },
      { count: 1, oldestMs: 0 },
    ],
    running: [
      { host: 'elsewhere', pid: 7, count: 3 },
      { host: claim.host, pid: claim.pid, count: 1 },
    ],
    parked: [
      { reason: 'MODEL_EMPTY', count: 3 },
      { reason: 'unknown', count: 1 },
    ],
  });
});

it('a store that counts by itself is asked', async () => {
  const stats = countStats([]);
  expect(await storeStats({ stats: async () => stats } as never)).toBe(stats);
  expect(stats).toStrictEqual({ sessions: {}, damaged: 0, waiting: [], running: [], parked: [] });
});

/** A store that cannot count by itself, with these sessions. */
async function storeOf(changes: Readonly<Record<string, SessionChange>>): Promise<Store> {
  const store = memoryStore();
  for (const [id, change] of Object.entries(changes)) await store.commit(id, 0, change);
  return store;
}

const run = (status: RunRecord['status'], rest: object = {}): SessionChange => ({
  run: { ...runRecord('r', status), ...rest },
});

it('a store that does not count by itself is listed', async () => {
  const claim = newClaim('me', 60_000);
  const failure = { code: 'TOOL_GONE', message: 'gone' };
  const store = await storeOf({
    new: { append: [message('m')] },
    done: run('completed', { agent: { id: 'a' } }),
    held: { ...run('running', { agent: { id: 'a' } }), claim },
    waits: { ...run('running', { agent: { id: 'a', version: '2' } }), about: { owner: 'ann' } },
    'waits too': run('running'),
    parked: run('running', { parked: true, failure }),
    'parked without a reason': run('running', { parked: true }),
    'its failure is not counted': run('failed', { failure }),
  });
  const { waiting, ...stats } = await storeStats(store);
  expect(stats).toEqual({
    sessions: { completed: 1, running: 3, parked: 2, failed: 1 },
    damaged: 0,
    running: [{ host: claim.host, pid: claim.pid, count: 1 }],
    parked: expect.arrayContaining([
      { reason: 'TOOL_GONE', count: 1 },
      { reason: 'unknown', count: 1 },
    ]) as unknown,
  });
  const oldestMs = expect.any(Number) as number;
  expect(waiting).toHaveLength(2);
  expect(waiting).toEqual(
    expect.arrayContaining([
      { agent: 'a', version: '2', owner: 'ann', count: 1, oldestMs },
      { count: 1, oldestMs },
    ]),
  );
});

it.each([
  [0, 0],
  [700, 700],
  [-50, 0],
])('a run that was changed %d ms ago has waited for %d ms', async (ago, oldestMs) => {
  const store = await storeOf({ s: run('running') });
  const { updatedAt = 0 } = (await store.head?.('s')) ?? {};
  vi.useFakeTimers({ toFake: ['Date'], now: updatedAt + ago });
  onTestFinished(() => void vi.useRealTimers());
  expect((await storeStats(store)).waiting).toEqual([{ count: 1, oldestMs }]);
});

it('only the records of sessions that run or are parked are read for that', async () => {
  const store = await storeOf({
    a: run('completed'),
    b: run('running'),
    c: run('running', { parked: true }),
  });
  const load = vi.spyOn(store, 'load');
  await storeStats(store);
  expect(load.mock.calls.map(([id]) => id).toSorted()).toEqual(['b', 'c']);
  load.mockResolvedValue(undefined);
  expect((await storeStats(store)).parked).toEqual([{ reason: 'unknown', count: 1 }]);
});

it('sessions that are damaged are counted, and other faults of the store are not hidden', async () => {
  const store = await storeOf({ a: run('running'), b: run('running') });
  const { list } = store;
  store.list = async function* damaging(filter) {
    for await (const each of list(filter)) yield each.id === 'a' ? { ...each, damaged: true } : each;
  };
  const load = vi.spyOn(store, 'load');
  load.mockRejectedValue(new ShallotError('STORE_DAMAGED', { message: 'damaged' }));
  expect(await storeStats(store)).toMatchObject({ sessions: { running: 1 }, damaged: 1, running: [] });
  load.mockRejectedValue(new ShallotError('STORE_FAILED', { message: 'down' }));
  await expect(storeStats(store)).rejects.toThrow('down');
});
