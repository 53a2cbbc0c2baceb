import type { RunInfo } from '@shallot/core';
import { expect, it } from 'vitest';

import { RunClock } from './run-clock.ts';

it('counts the time of a run in parts, and none between a run and its resume', async () => {
  let now = 0;
  const clock = new RunClock(() => now);
  const run = { id: 'a' } as RunInfo;
  const during = (): Promise<number[]> =>
    clock.during(run, async () => {
      now += 5;
      const first = clock.elapsed(run);
      now += 2;
      return [first, clock.elapsed(run)];
    });
  expect(await during()).toEqual([5, 2]);
  now += 1000;
  expect(clock.elapsed(run)).toBe(0);
  expect(await during()).toEqual([5, 2]);
});
