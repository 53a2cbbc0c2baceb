import type { RunRecord } from '../../contract/store.ts';

/** What a record says of the attempts of workers. */
export type Attempts = NonNullable<RunRecord['attempts']>;

/** A run that so many workers in a row have resumed without reaching another step is parked. */
export const mostAttempts = 3;

/** Each pause is five times as long as the one before it, and none is longer than this. */
const longestPauseMs = 300_000;

/** What is recorded when a worker resumes a run, in case it brings the run no further: the next one waits. */
export function nextAttempt(last: Attempts | undefined, pauseMs: number): Attempts {
  const count = (last?.count ?? 0) + 1;
  return { count, notBefore: Date.now() + Math.min(pauseMs * 5 ** (count - 1), longestPauseMs) };
}
