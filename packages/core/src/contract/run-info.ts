import type { Files } from '../files/files.ts';
import type { Logger } from '../log/logger.ts';
import type { Message } from './messages.ts';
import type { RunUsage } from './usage.ts';

/** What is known of a run before it begins. */
export interface RunIdentity<Context = unknown> {
  readonly id: string;
  readonly sessionId: string;
  /** The agent's name. */
  readonly agent: string;
  /** The application's own data, as passed to `run` or `resume`. Never stored. */
  readonly context: Context;
}

/** A run as tools and the wraps see it. The same object all through a run, for one plugin. */
export interface RunInfo<Context = unknown> extends RunIdentity<Context> {
  /** The number of the current step, from 1; 0 before the first. */
  readonly step: number;
  /** True after an interrupt or a crash. */
  readonly resumed: boolean;
  /** Aborted when the run is. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly usage: RunUsage;
  /** The session's messages as they are now. */
  readonly messages: readonly Message[];
  /** Those that came since the last model call; in `beforeAgent`, the input. */
  readonly newMessages: readonly Message[];
  /** The agent's files, or this run's if each run has its own. */
  readonly files: Files;
  /** Puts an event of the plugin's own on the stream. `data` is JSON, interfaces included. @throws `VALUE_NOT_JSON` */
  readonly event: (name: string, data?: unknown) => void;
  /**
   * Warns about a problem that does not stop the run, on the stream and in the log. The code is permanent and belongs
   * to the plugin: `OFFLOAD_FAILED` of the plugin `summarization` becomes `summarization/OFFLOAD_FAILED`.
   */
  readonly warn: (code: string, message: string) => void;
}
