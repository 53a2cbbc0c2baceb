import type { StormAgent } from '../programs/storm-process.ts';

/** The size of a storm, and the frequencies of its troubles. */
export interface Storm {
  readonly seed: number;
  /** The agents of the workers, one per worker. */
  readonly workers: readonly [StormAgent, ...StormAgent[]];
  /** The number of processes that submit and follow runs, for all of the agents. */
  readonly programs: number;
  /** The most sessions that a program has in progress at once. */
  readonly atOnce: number;
  readonly steps: number;
  readonly toolMs: number;
  readonly claimMs: number;
  /** The number of suspensions, most of them longer than a lease, after which the storm is over. */
  readonly freezes: number;
  readonly frozenAtOnce: number;
  /** The time between two troubles of other kinds, in milliseconds. */
  readonly everyMs: number;
  /** The number of rounds, with one trouble of each kind, between two restarts of the database. */
  readonly restartsEvery: number;
}
