import type { AgentEvent } from '../contract/events.ts';
import type { WorkDefaults } from '../contract/work/work-defaults.ts';

/** How an agent works as a worker. */
export interface WorkOptions<Context = unknown> extends WorkDefaults<Context> {
  /** The maximum number of runs at once. Default: 8. */
  readonly concurrency?: number;
  /** Ends the work: no further run is taken, and those in progress are handed back after their step. */
  readonly signal?: AbortSignal;
  /** How often to look for work in the store, in milliseconds. Default: 5,000. */
  readonly intervalMs?: number;
  /** After `signal` is aborted, the time until runs in progress are aborted, in milliseconds. Default: 30,000. */
  readonly stopTimeoutMs?: number;
  /**
   * The pause after an attempt that brought a run no further, in milliseconds; the next ones are 5 and 25 times as long.
   * Default: 5,000.
   */
  readonly retryPauseMs?: number;
  /** After this time, a warning reports a session that this worker cannot resume, in milliseconds. Default: 60,000. */
  readonly warnAfterMs?: number;
  /** Gets the events of all runs. */
  readonly onEvent?: (sessionId: string, event: AgentEvent) => void;
}
