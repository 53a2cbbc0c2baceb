import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { runRecord } from '../../../../testing/src/store/store-samples.ts';
import type { RunRecord } from '../../contract/store.ts';
import { attemptsIfDead, attemptsIfFailed, isSuspect, withoutDeath, type Attempts } from './attempts.ts';

const now = 1_700_000_000_000;

beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

function after(attempts: Attempts | undefined): RunRecord {
  const run = runRecord('r', 'running');
  return attempts === undefined ? run : { ...run, attempts };
}

it('a run is the suspected cause of deaths after its second', () => {
  const once = attemptsIfDead(undefined, 1);
  const twice = attemptsIfDead(once, 1);
  expect([undefined, once, twice].map((attempts) => isSuspect(after(attempts)))).toEqual([
    false,
    false,
    true,
  ]);
});

describe('an attempt', () => {
  it.each<[string, Attempts | undefined, Attempts]>([
    ['the first', undefined, { count: 0, deaths: 1, notBefore: now + 10 }],
    ['one after a failure', { count: 1, notBefore: 0 }, { count: 1, deaths: 1, notBefore: now + 50 }],
    [
      'one after a failure and a death',
      { count: 1, deaths: 1, notBefore: 0 },
      { count: 1, deaths: 2, notBefore: now + 250 },
    ],
  ])('counts as a death until it ends: %s', (_, last, next) => {
    expect(attemptsIfDead(last, 10)).toEqual(next);
  });

  it.each<[string, Attempts | undefined, Attempts]>([
    ['the first', undefined, { count: 1, notBefore: now + 10 }],
    ['one after a failure', { count: 1, notBefore: 0 }, { count: 2, notBefore: now + 50 }],
    [
      'one after a failure and a death',
      { count: 1, deaths: 1, notBefore: 0 },
      { count: 2, deaths: 1, notBefore: now + 250 },
    ],
  ])('that fails is counted, and the pause is five times as long: %s', (_, last, next) => {
    expect(attemptsIfFailed(last, 10)).toEqual(next);
  });

  it('waits for five minutes at most', () => {
    expect(attemptsIfFailed({ count: 2, notBefore: 0 }, 20_000).notBefore).toBe(now + 300_000);
  });

  it.each<[string, Attempts | undefined, Attempts | undefined]>([
    ['no attempts', undefined, undefined],
    ['one death', { count: 0, deaths: 1, notBefore: 5 }, undefined],
    ['two deaths', { count: 0, deaths: 2, notBefore: 5 }, { count: 0, deaths: 1, notBefore: 5 }],
    ['a failure', { count: 1, notBefore: 5 }, { count: 1, notBefore: 5 }],
    ['a failure and a death', { count: 1, deaths: 1, notBefore: 5 }, { count: 1, notBefore: 5 }],
  ])('whose death is forgiven is taken back: %s', (_, attempts, left) => {
    expect(withoutDeath(after(attempts))).toEqual(after(left));
  });
});
