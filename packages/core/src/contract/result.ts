import type { ShallotError } from '../base/errors.ts';
import type { Interrupt } from './interrupt.ts';
import type { Message, Source } from './messages.ts';
import type { FinishReason } from './model.ts';
import type { RunUsage } from './usage.ts';

export type Outcome = 'completed' | 'interrupted' | 'aborted' | 'failed';

/**
 * The reason why a run ended. Only `answer` means a complete answer of the model: `length` and `content-filter` for one
 * that was cut off or filtered, `max-steps` for the last step reached.
 */
export type StopReason =
  | 'answer'
  | 'length'
  | 'content-filter'
  | 'ended'
  | 'return-directly'
  | 'max-steps'
  | 'limit'
  | 'interrupt'
  | 'abort'
  | 'model-error'
  | 'error';

/** The result of a run. */
export interface RunResult<Output = unknown> {
  readonly outcome: Outcome;
  readonly stopReason: StopReason;
  /** The text of the answer; empty when there is none. */
  readonly text: string;
  /** Why the model stopped, when the answer is a model's. */
  readonly finish?: FinishReason;
  /** The validated answer, when a schema was asked for. */
  readonly output?: Output;
  /** The messages that this run added to the session, including its input, as far as they still exist. */
  readonly messages: readonly Message[];
  /** The sources of these messages, and those that their texts cite: each once. */
  readonly sources: readonly Source[];
  /** The questions that are open. */
  readonly interrupts: readonly Interrupt[];
  readonly usage: RunUsage;
  /** The steps that were begun, those before an interrupt included. */
  readonly steps: number;
  readonly sessionId: string;
  readonly runId: string;
  /** The error of a failed run. */
  readonly error?: ShallotError;
  /** Failures that did not decide the outcome: those of `afterAgent` hooks. */
  readonly errors: readonly ShallotError[];
}

declare module '../base/errors.ts' {
  interface FailedRun extends RunResult {}
}
