import { setTimeout as wait } from 'node:timers/promises';

import { isShallotError } from '@shallot/core';
import { option } from '@shallot/core/plugin';

export interface BackOffOptions {
  /** Attempts per call, including the first. Default: 5. */
  readonly attempts?: number;
  /**
   * Longest delay before the second attempt, in milliseconds; it doubles with each further attempt. Half of it is
   * random. Default: 1,000.
   */
  readonly firstDelayMs?: number;
  /** Longest delay before any attempt, in milliseconds, unless the error says when to try again. Default: 30,000. */
  readonly maxDelayMs?: number;
  /**
   * Longest delay, in milliseconds, that an error may ask for; the call is not retried after a longer one. Default:
   * 60,000.
   */
  readonly maxRetryAfterMs?: number;
}

export const backOffShape = {
  attempts: option
    .integer({ min: 1, max: 100 })
    .default(5)
    .describe('Attempts per call, including the first.'),
  firstDelayMs: option
    .number({ min: 0, max: 3_600_000 })
    .default(1000)
    .describe(
      'Longest delay before the second attempt; it doubles with each further attempt, and half of it is random.',
    ),
  maxDelayMs: option
    .number({ min: 0, max: 3_600_000 })
    .default(30_000)
    .describe('Longest delay before any attempt, unless the error says when to try again.'),
  maxRetryAfterMs: option
    .number({ min: 0, max: 3_600_000 })
    .default(60_000)
    .describe('Longest delay that an error may ask for; the call is not retried after a longer one.'),
};

export type BackOff = Required<BackOffOptions>;

/**
 * Returns the time to wait after a failed attempt, counted from 1; undefined if there is no further attempt. A delay
 * that does not end within `timeLeft` is not begun.
 */
export function delayAfter(
  attempt: number,
  failure: unknown,
  { attempts, firstDelayMs, maxDelayMs, maxRetryAfterMs }: BackOff,
  timeLeft = Infinity,
): number | undefined {
  if (attempt >= attempts) return undefined;
  const half = Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1)) / 2;
  const retryAfter = isShallotError(failure) ? Number(failure.retryAt) - Date.now() : Number.NaN;
  if (retryAfter > maxRetryAfterMs) return undefined;
  // An invalid or past date counts as no date. The random part keeps calls that failed together from being repeated
  // together.
  const delay = Math.max(half, retryAfter > 0 ? retryAfter : 0) + Math.random() * half;
  return delay < timeLeft ? delay : undefined;
}

/** Waits; rejects with the signal's reason as soon as it is aborted. */
export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {
    throw signal.reason;
  });
}
