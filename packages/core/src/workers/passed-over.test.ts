import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { PassedOver } from './passed-over.ts';
import { HealthWatch, type WorkerHealth } from './worker-health.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const later = (ms: number): void => void vi.advanceTimersByTime(ms);

describe('a session that a worker does not take for now', () => {
  it('is passed over twice as long after each refusal, ten minutes at most', () => {
    const passed = new PassedOver(1000, 5000);
    expect(passed.has('s')).toBe(false);
    expect(passed.refusedUntil('s')).toBeUndefined();
    const firsts: boolean[] = [];
    for (const pauseMs of [1000, 2000, 4000]) {
      firsts.push(passed.refused('s'));
      expect(passed.refusedUntil('s')).toBe(Date.now() + pauseMs);
      later(pauseMs - 1);
      expect([passed.has('s'), passed.ids]).toEqual([true, ['s']]);
      later(1);
      expect([passed.has('s'), passed.ids, passed.refusedUntil('s')]).toEqual([false, [], undefined]);
    }
    expect(firsts).toEqual([true, false, false]);
    for (let count = 0; count < 20; count += 1) passed.refused('s');
    expect(passed.refusedUntil('s')).toBe(Date.now() + 600_000);
    passed.forget('s');
    expect(passed.has('s')).toBe(false);
    expect(passed.refused('s')).toBe(true);
  });

  it('is passed over for a second when another worker takes it', () => {
    const passed = new PassedOver(1000, 5000);
    passed.taken('s');
    expect([passed.has('s'), passed.refusedUntil('s')]).toEqual([true, undefined]);
    later(999);
    expect(passed.has('s')).toBe(true);
    later(1);
    expect(passed.has('s')).toBe(false);
    expect(passed.refused('s')).toBe(true);
  });

  it('is left to others for as long as it waits', () => {
    const passed = new PassedOver(1000, 5000);
    expect([passed.left('s', 3), passed.left('s', 3)]).toEqual([true, false]);
    passed.taken('t');
    later(5000);
    expect(passed.has('s')).toBe(true);
    expect(passed.refusedUntil('s')).toBeUndefined();
    expect([passed.leftFor(5000), passed.leftFor(5001)]).toEqual([['s'], []]);
    passed.keep(new Map([['s', 3]]));
    expect(passed.ids).toEqual(['s']);
    passed.keep(new Map());
    expect(passed.ids).toEqual([]);
    expect(passed.left('s', 3)).toBe(true);
  });

  it('is no longer left to others once it has changed', () => {
    const passed = new PassedOver(1000, 5000);
    passed.left('changed', 3);
    passed.left('unread', undefined);
    passed.keep(
      new Map([
        ['changed', 4],
        ['unread', 4],
      ]),
    );
    expect(passed.ids).toEqual(['unread']);
  });

  it('is passed over no longer each time by a store that only fails for a while', () => {
    const passed = new PassedOver(1000, 5000);
    for (let count = 0; count < 5; count += 1) passed.refused('s', true);
    expect(passed.refusedUntil('s')).toBe(Date.now() + 1000);
  });

  it('is looked after from time to time', () => {
    const passed = new PassedOver(1000, 5000);
    later(5000);
    expect(passed.isSurveyDue).toBe(false);
    passed.left('s', 3);
    expect(passed.isSurveyDue).toBe(true);
    passed.keep(new Map([['s', 3]]));
    expect(passed.isSurveyDue).toBe(false);
    later(4999);
    expect(passed.isSurveyDue).toBe(false);
    later(1);
    expect(passed.isSurveyDue).toBe(true);
  });
});

describe('the store of a worker', () => {
  it('that is silent for a minute is reported, once, and so is its next answer', () => {
    const lines: string[] = [];
    const reports: WorkerHealth[] = [];
    const log = {
      info: (text: string) => lines.push(text),
      error: (_: object, text: string) => lines.push(text),
    } as never;
    const watch = new HealthWatch(log, (health) => void reports.push(health));
    const begun = Date.now();
    watch.check();
    later(29_999);
    expect(watch.isQuiet).toBe(false);
    later(1);
    expect(watch.isQuiet).toBe(true);
    later(29_999);
    watch.check();
    expect(reports).toEqual([]);
    watch.failed(new Error('no route'));
    later(1);
    watch.check();
    watch.check();
    expect(reports).toEqual([{ isHealthy: false, answeredAt: begun, error: 'no route' }]);
    watch.answered();
    watch.answered();
    expect(reports.slice(1)).toEqual([{ isHealthy: true, answeredAt: Date.now() }]);
    expect(lines).toEqual([
      expect.stringMatching(/^The store of the worker has not answered since .* The last error: no route$/),
      'The store of the worker answers again.',
    ]);
  });

  it('is watched on when the listener throws, or there is none', () => {
    const warnings: string[] = [];
    const log = { error: () => {}, warn: (text: string) => warnings.push(text) } as never;
    const throwing = new HealthWatch(log, () => {
      throw new Error('broken');
    });
    later(60_000);
    throwing.check();
    expect(warnings).toEqual(['onHealth of the worker threw: broken']);
    const silent = new HealthWatch(log, undefined);
    later(60_000);
    expect(() => silent.check()).not.toThrow();
  });
});
