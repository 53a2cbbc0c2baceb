import { expect, it } from 'vitest';

import { newClaim } from '../../base/claim.ts';
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
