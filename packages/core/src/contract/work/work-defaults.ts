import type { JsonObject } from '../../base/json.ts';
import type { Queue } from './queue.ts';

/** Defaults for an agent's work as a worker. */
export interface WorkDefaults<Context = unknown> {
  /** Returns the context of a run, from its session and submitted metadata. Default: no context. */
  readonly context?: (sessionId: string, metadata: JsonObject) => Context | Promise<Context>;
  /** Notifies workers of sessions with work. Default: none; the store is polled. */
  readonly queue?: Queue;
}
