import { expect, it, onTestFinished, vi } from 'vitest';

import { inTime, maxTimerMs } from './in-time.ts';

const late = (): Error => new Error('too late');

it('a result that comes in time is returned, and an error thrown', async () => {
  expect(await inTime(Promise.resolve('a'), 1000, late)).toBe('a');
  await expect(inTime(Promise.reject(new Error('broken')), 1000, late)).rejects.toThrow('broken');
});

it('what comes later rejects when the time is over, and no sooner', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const settled = vi.fn<(reason: unknown) => void>();
  void inTime(new Promise(() => {}), 1000, late).catch(settled);
  await vi.advanceTimersByTimeAsync(999);
  expect(settled).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(settled).toHaveBeenCalledExactlyOnceWith(new Error('too late'));
});

it('no timer is left behind, and none is longer than a timer may be', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const timers = [maxTimerMs, maxTimerMs + 1].map((ms) => {
    const before = vi.getTimerCount();
    return { over: inTime(Promise.resolve(ms), ms, late), started: vi.getTimerCount() - before };
  });
  expect(timers.map(({ started }) => started)).toEqual([1, 0]);
  expect(await Promise.all(timers.map(({ over }) => over))).toEqual([2_147_483_647, 2_147_483_648]);
  expect(vi.getTimerCount()).toBe(0);
});
