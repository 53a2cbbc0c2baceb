import type { Address, CallAddress } from '../base/address.ts';
import type { Files } from '../files/files.ts';
import type { Logger } from '../log/logger.ts';
import type { Message } from './messages.ts';
import type { RunUsage } from './usage.ts';

/** The facts about a run that are known before it begins. */
export interface RunIdentity<Context = unknown> {
  readonly id: string;
  readonly sessionId: string;
  /** The name of the agent. */
  readonly agent: string;
  /** The application's own data, as passed to `run` or `resume`. Never stored. */
  readonly context: Context;
}

/** A run as seen by tools and wraps: one object for all of a plugin's calls, until one of its taps is abandoned. */
export interface RunInfo<Context = unknown> extends RunIdentity<Context> {
  /** The number of the current step, from 1; 0 before the first. */
  readonly step: number;
  /** The number of steps after which the run ends; `maxSteps - step` remain. */
  readonly maxSteps: number;
  /** The place of the run in its tree, and the current step. */
  readonly address: Address;
  /** The tool call that began the run, as in its address; undefined unless it is a child. */
  readonly parent: CallAddress | undefined;
  /** The `traceparent` that the run was submitted with; undefined otherwise. */
  readonly traceparent: string | undefined;
  /** True if the run was resumed, for example after an interrupt or a crash. */
  readonly resumed: boolean;
  /** Aborted when the run is. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly usage: RunUsage;
  /** The session's messages as they are now. */
  readonly messages: readonly Message[];
  /** The messages since the last model call; in `beforeAgent`, the input. */
  readonly newMessages: readonly Message[];
  /** The agent's files, or this run's if each run has its own. */
  readonly files: Files;
  /** Emits an event of the plugin on the stream. `data` must be JSON. @throws `VALUE_NOT_JSON` */
  readonly event: (name: string, data?: unknown) => void;
  /**
   * Warns about a problem that does not stop the run, on the stream and in the log. The code is permanent and belongs
   * to the plugin: `OFFLOAD_FAILED` of the plugin `summarization` becomes `summarization/OFFLOAD_FAILED`.
   */
  readonly warn: (code: string, message: string) => void;
}
