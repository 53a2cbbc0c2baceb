import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { Stopwatch } from './held-claim.ts';

const hour = 3_600_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

it.each([
  ['both clocks go', 0, 50],
  ['the wall clock is set back', -hour, 50],
  ['the machine is suspended, and the steady clock stands still', hour, hour + 50],
])('counts the time by the clock by which more has passed when %s', (_, set, elapsedMs) => {
  const watch = new Stopwatch();
  vi.advanceTimersByTime(20);
  vi.setSystemTime(Date.now() + set);
  vi.advanceTimersByTime(30);
  expect(watch.elapsedMs).toBe(elapsedMs);
});
