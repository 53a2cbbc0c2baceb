import type { ShallotError } from '../base/errors.ts';
import type { Interrupt } from './interrupt.ts';
import type { Message, Source } from './messages.ts';
import type { FinishReason } from './model.ts';
import type { ResponseFacts } from './response-facts.ts';
import type { RunUsage } from './usage.ts';

/**
 * The outcome of a run. `completed`: it has an answer, or a plugin ended it. `interrupted`: it waits for answers to
 * questions. `aborted`: it was stopped. `failed`: an error ended it.
 */
export type Outcome = 'completed' | 'interrupted' | 'aborted' | 'failed';

/**
 * The reason why a run ended. Only `answer` means a complete answer of the model: `length` and `content-filter` mean
 * that it was cut off or filtered, `max-steps` that the last step was reached.
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
  /** The text of the answer; empty if there is none. */
  readonly text: string;
  /** The model's finish reason, if the answer is a model's. */
  readonly finish?: FinishReason;
  /** The provider's facts about its latest response. Absent if it reports none, and after a resume without a model call. */
  readonly response?: ResponseFacts;
  /** The validated answer, when a schema was asked for. */
  readonly output?: Output;
  /** The messages that this run added to the session, including its input, as far as they still exist. */
  readonly messages: readonly Message[];
  /** The sources of these messages, including cited ones, without duplicates. */
  readonly sources: readonly Source[];
  /** The open questions. */
  readonly interrupts: readonly Interrupt[];
  /**
   * Messages that were sent to the run but that it did not take. They stay in the session's inbox for its next run.
   * Absent if there are none, and while the run waits for answers.
   */
  readonly unread?: readonly Message[];
  readonly usage: RunUsage;
  /** The number of steps begun, including those before an interrupt. */
  readonly steps: number;
  readonly sessionId: string;
  readonly runId: string;
  /** The error of a failed or aborted run. */
  readonly error?: ShallotError;
  /** Errors that did not affect the outcome, such as those of `afterAgent` hooks. */
  readonly errors: readonly ShallotError[];
}

declare module '../base/errors.ts' {
  interface FailedRun extends RunResult {}
}
