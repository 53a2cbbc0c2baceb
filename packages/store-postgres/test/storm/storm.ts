import type { StormAgent } from '../programs/storm-process.ts';

/** The size of a storm, and its frequencies. */
export interface Storm {
  readonly seed: number;
  /** The agents of the workers, a worker each. */
  readonly workers: readonly [StormAgent, ...StormAgent[]];
  /** Processes that submit and follow, for all of the agents. */
  readonly programs: number;
  /** The most sessions that a program has in progress at once. */
  readonly atOnce: number;
  readonly steps: number;
  readonly toolMs: number;
  readonly claimMs: number;
  /** Processes that are suspended, most of them past their lease. The storm is over after so many. */
  readonly freezes: number;
  readonly frozenAtOnce: number;
  /** The time from one trouble of another kind to the next. */
  readonly everyMs: number;
  /** The database is restarted after each so many rounds of all kinds of trouble. */
  readonly restartsEvery: number;
}
