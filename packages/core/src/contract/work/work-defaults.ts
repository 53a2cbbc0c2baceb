import type { JsonObject } from '../../base/json.ts';
import type { Queue } from './queue.ts';

/** Defaults for an agent's work as a worker. */
export interface WorkDefaults<Context = unknown> {
  /** Returns the context of a run, from its session and submitted metadata. Default: no context. */
  readonly context?: (sessionId: string, metadata: JsonObject) => Context | Promise<Context>;
  /** Notifies workers of sessions with work. Default: none; the store is polled. */
  readonly queue?: Queue;
  /** The time that the agent's sessions are kept. Default: forever. */
  readonly keep?: Keep;
}

/**
 * The time that sessions of an agent are kept after their last change, by the status of their last run: a number with
 * `h`, `d` or `w`. Sessions of other statuses are kept forever.
 */
export interface Keep {
  readonly completed?: string;
  readonly failed?: string;
  readonly aborted?: string;
  /** For sessions that wait for a person. */
  readonly interrupted?: string;
  readonly parked?: string;
}
