import { afterEach, expect, it, vi } from 'vitest';

import { DutyList } from './duty-list.ts';

afterEach(() => void vi.useRealTimers());

const period = 24_000;

/** Asks for a duty with some terms at a time. */
function asking() {
  const duties = new DutyList();
  vi.useFakeTimers({ toFake: ['Date'] });
  return (at: number, terms = 'a', duty = 'delete') => {
    vi.setSystemTime(1_000_000 + at);
    return duties.take(duty, terms, period);
  };
}

it('a duty is taken by terms that were heard for a 24th of the period', () => {
  const ask = asking();
  expect([ask(0), ask(999), ask(1000)].map(({ isTaken }) => isTaken)).toEqual([false, false, true]);
});

it('a duty is taken once in a period, whatever the terms, and others beside it', () => {
  const ask = asking();
  for (const given of [['b'], ['a'], ['a', 'other']] as const) expect(ask(0, ...given).isTaken).toBe(false);
  expect(ask(1000)).toEqual({ isTaken: true, terms: ['a', 'b'] });
  expect(ask(1000, 'a', 'other')).toEqual({ isTaken: true, terms: ['a'] });
  expect([1000, 1000 + period - 1, 1000 + period].map((at) => ask(at, 'b').isTaken)).toEqual([
    false,
    false,
    true,
  ]);
});

it('terms that nobody asks with any more are forgotten after two periods', () => {
  const ask = asking();
  ask(0, 'b');
  expect(ask(2 * period).terms).toEqual(['a', 'b']);
  expect(ask(2 * period + 1).terms).toEqual(['a']);
});
