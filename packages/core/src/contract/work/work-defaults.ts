import type { JsonObject } from '../../base/json.ts';
import type { Queue } from './queue.ts';

/** What an agent brings along for its work as a worker. */
export interface WorkDefaults<Context = unknown> {
  /** Makes the context of a run from its session and from what was submitted with it. Default: no context. */
  readonly context?: (sessionId: string, metadata: JsonObject) => Context | Promise<Context>;
  /** Says at once which sessions have work. Default: none, and work is found at intervals. */
  readonly queue?: Queue;
}
