import type { RunRecord } from '../../contract/store.ts';

/** The stored attempts of workers to advance a run. */
export type Attempts = NonNullable<RunRecord['attempts']>;

/** The number of workers in a row that may resume a run without reaching another step. After that it is parked. */
export const mostAttempts = 3;

/** Each pause is five times as long as the one before it, up to this limit. */
const longestPauseMs = 300_000;

/**
 * Returns the attempts to store before a worker resumes a run. If the worker does not advance it, the next worker waits
 * until `notBefore`.
 */
export function nextAttempt(last: Attempts | undefined, pauseMs: number): Attempts {
  const count = (last?.count ?? 0) + 1;
  return { count, notBefore: Date.now() + Math.min(pauseMs * 5 ** (count - 1), longestPauseMs) };
}

/** Returns the record of a run without its last attempt. */
export function withoutAttempt(run: RunRecord): RunRecord {
  const { attempts, ...rest } = run;
  if (attempts === undefined || attempts.count <= 1) return rest;
  return { ...rest, attempts: { ...attempts, count: attempts.count - 1 } };
}
