import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';

import { endClaim, isClaimLive, newClaim } from './claim.ts';
import { thisHost, thisStart } from './this-process.ts';

// Later than any claim that other tests of this process have ended: those come first, and would be kept.
const now = Date.parse('2100-01-01T00:00:00Z');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now });
  onTestFinished(() => void vi.useRealTimers());
});

it('a claim names this process, and when it expires', () => {
  const claim = { host: thisHost(), pid: process.pid, ...thisStart() };
  expect(newClaim('a', 1000)).toStrictEqual({ owner: 'a', ...claim, expiresAt: now + 1000 });
  expect(newClaim('b', 1, 'root')).toStrictEqual({
    owner: 'b',
    root: 'root',
    ...claim,
    expiresAt: now + 1,
  });
});

it('a claim of a process that is there lives until it expires', () => {
  const claim = newClaim('lives', 1000);
  expect([0, 999, 1000, 1001].map((ms) => isClaimLive(claim, now + ms))).toEqual([true, true, false, false]);
});

it('a claim of a process that is gone is over on its own machine; on another it lives until it expires', () => {
  // Larger than any process id of Linux, macOS and Windows.
  const gone = { ...newClaim('gone', 1000), pid: 2 ** 30 };
  const elsewhere = { ...gone, host: 'elsewhere' };
  expect([isClaimLive(gone), isClaimLive(elsewhere), isClaimLive(elsewhere, now + 1000)]).toEqual([
    false,
    true,
    false,
  ]);
});

it('a claim that has ended is over here, until it would have expired in any case', () => {
  const [short, long] = [newClaim('short', 1000), newClaim('long', 3000)];
  endClaim(short);
  endClaim(long);
  expect([short, long].map((claim) => isClaimLive(claim))).toEqual([false, false]);
  vi.setSystemTime(now + 999);
  endClaim(newClaim('later', 10_000));
  expect([short, long].map((claim) => isClaimLive(claim, now))).toEqual([false, false]);
  vi.setSystemTime(now + 1000);
  endClaim(newClaim('last', 10_000));
  // Nothing is kept about what has expired.
  expect([short, long].map((claim) => isClaimLive(claim, now))).toEqual([true, false]);
});
