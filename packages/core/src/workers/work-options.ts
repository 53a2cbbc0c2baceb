import type { AgentEvent } from '../contract/events.ts';
import type { RunRecord, SessionFilter } from '../contract/store.ts';
import type { WorkDefaults } from '../contract/work/work-defaults.ts';
import type { WorkerHealth } from './worker-health.ts';

/** The options of `agent.work`. */
export interface WorkOptions<Context = unknown> extends WorkDefaults<Context> {
  /** The maximum number of parallel runs. Default: 8. */
  readonly concurrency?: number;
  /** `same` leaves runs that another version of the agent began to workers of that version. Default: `any`. */
  readonly versions?: 'any' | 'same';
  /** Takes only runs of these sessions. Default: all. */
  readonly filter?: Pick<SessionFilter, 'owner' | 'parent' | 'status' | 'prefix'>;
  /**
   * Decides which of the runs that the worker finds in the store it takes; those that its queue names are taken anyway.
   * Called for each waiting run as it is stored. Default: all.
   */
  readonly accepts?: (run: RunRecord) => boolean;
  /** Ends the work: no further run is started, and those in progress are handed back after their current step. */
  readonly signal?: AbortSignal;
  /** The polling interval of the store, in milliseconds. Default: 5,000. */
  readonly intervalMs?: number;
  /** After `signal` is aborted, the time until runs in progress are aborted, in milliseconds. Default: 30,000. */
  readonly stopTimeoutMs?: number;
  /**
   * The pause after an attempt that did not advance a run, in milliseconds; the next pauses are 5 and 25 times as long.
   * Default: 5,000.
   */
  readonly retryPauseMs?: number;
  /** After this time, a warning reports a session that this worker cannot resume, in milliseconds. Default: 60,000. */
  readonly warnAfterMs?: number;
  /** Receives the events of all runs. */
  readonly onEvent?: (sessionId: string, event: AgentEvent) => void;
  /** Called when the store of the worker has not answered for a minute, and when it answers again. */
  readonly onHealth?: (health: WorkerHealth) => void;
}
