import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { Wait } from '../../base/wait.ts';
import { noticeMs, waitReporter } from './wait-reporter.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** The reports of a run with these waits, and when they came, in seconds. */
function reportsOf(waits: readonly Wait[]): {
  readonly reports: unknown[];
  readonly pass: (seconds: number) => void;
} {
  const reports: unknown[] = [];
  let now = 0;
  waitReporter().add({
    findWaits: () => waits,
    notice: (message, plugin) => void reports.push([now, message, plugin]),
  });
  const pass = (seconds: number): void => {
    for (let passed = 0; passed < seconds * 1000; passed += noticeMs / 4) {
      now += noticeMs / 4000;
      vi.advanceTimersByTime(noticeMs / 4);
    }
  };
  return { reports, pass };
}

const said = (what: string, seconds: number): string =>
  `Still waiting for ${what} after ${seconds} s. The run continues when it settles; an abort ends the run.`;

it('a wait is reported after ten seconds, and then each time that it is twice as long', () => {
  const { reports, pass } = reportsOf([{ by: {}, what: 'once("charge")', plugin: 'shop' }]);
  pass(100);
  // The wait may have begun just before the first look at it.
  expect(reports).toEqual([
    [12.5, said('once("charge") of shop', 10), 'shop'],
    [22.5, said('once("charge") of shop', 20), 'shop'],
    [42.5, said('once("charge") of shop', 40), 'shop'],
    [82.5, said('once("charge") of shop', 80), 'shop'],
  ]);
});

it('a wait of no plugin names none', () => {
  const { reports, pass } = reportsOf([{ by: {}, what: 'the store' }]);
  pass(12.5);
  expect(reports).toEqual([[12.5, said('the store', 10), undefined]]);
});

it('a wait that makes progress, and one that ends, are not reported', () => {
  const progress = { by: {}, what: 'the consumer', since: 1 };
  const waits: Wait[] = [progress];
  const { reports, pass } = reportsOf(waits);
  pass(10);
  waits[0] = { ...progress, since: 2 };
  pass(10);
  waits.length = 0;
  pass(5);
  waits.push(progress);
  pass(10);
  expect(reports).toEqual([]);
});

it('waits are told apart by whatever they wait for', () => {
  const waits: Wait[] = [{ by: {}, what: 'one' }];
  const { reports, pass } = reportsOf(waits);
  pass(5);
  waits.push({ by: {}, what: 'other' });
  pass(15);
  expect(reports).toEqual([
    [12.5, said('one', 10), undefined],
    [17.5, said('other', 10), undefined],
  ]);
});
