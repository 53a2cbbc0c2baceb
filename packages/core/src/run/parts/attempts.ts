import type { RunRecord } from '../../contract/store.ts';

/** The stored attempts of workers to advance a run. */
export type Attempts = NonNullable<RunRecord['attempts']>;

/** The number of attempts in a row that may fail without reaching another step before the run is parked. */
export const mostAttempts = 3;

/**
 * The number of processes in a row that may die at one step of a run before it is parked as the cause. Three would be too
 * few: machines disappear for many reasons, and the death of a process affects all of its runs.
 */
export const mostDeaths = 10;

/** The maximum pause in milliseconds. Each pause is five times as long as the one before. */
const longestPauseMs = 300_000;

/** Returns the attempts to store before a worker resumes a run. They count if its process dies before the next step. */
export function attemptsIfDead(last: Attempts | undefined, pauseMs: number): Attempts {
  const { count = 0, deaths = 0 } = last ?? {};
  return { count, deaths: deaths + 1, notBefore: nextTime(count + deaths, pauseMs) };
}

/** Returns the attempts to store after a failed attempt. */
export function attemptsIfFailed(last: Attempts | undefined, pauseMs: number): Attempts {
  const { count = 0, deaths = 0 } = last ?? {};
  const notBefore = nextTime(count + deaths, pauseMs);
  return { count: count + 1, ...(deaths === 0 ? {} : { deaths }), notBefore };
}

function nextTime(before: number, pauseMs: number): number {
  return Date.now() + Math.min(pauseMs * 5 ** before, longestPauseMs);
}

/** Returns true if a run may be the cause of deaths: more than one process has died at its step. */
export function isSuspect({ attempts }: RunRecord): boolean {
  return (attempts?.deaths ?? 0) > 1;
}

/** Returns the record of a run as if the process of its last attempt had not died. */
export function withoutDeath(run: RunRecord): RunRecord {
  const { attempts, ...rest } = run;
  const { count = 0, deaths = 0, notBefore = 0 } = attempts ?? {};
  if (count === 0 && deaths <= 1) return rest;
  return { ...rest, attempts: { count, ...(deaths <= 1 ? {} : { deaths: deaths - 1 }), notBefore } };
}
