import type { Message } from './messages.ts';
import type { ModelRequest } from './model.ts';

/** Counts the tokens of a string, exactly or approximately. */
export type CountTokens = (text: string) => number;

/** Estimates the tokens of the parts of a request. */
export interface TokenCounts {
  readonly text: CountTokens;
  /** Counts a message; a frozen one only once. */
  readonly message: (message: Message) => number;
  /**
   * Counts messages. If the list begins with the messages of an earlier one, only the new messages take time. If more
   * than 100,000 characters were never counted, a sample is counted, and the rest is estimated by its length.
   */
  readonly messages: (messages: readonly Message[]) => number;
  /**
   * Counts messages for a later call of `messages`, in slices that let other work run in between. Returns undefined if
   * slices are not needed: so many messages are new only in the first turn of a long session, or with a slow
   * `countTokens`.
   */
  readonly prepare: (messages: readonly Message[]) => Promise<void> | undefined;
  /** Counts everything that is sent besides the messages: the instructions, the tools with their schemas, the output schema. */
  readonly overhead: (request: Pick<ModelRequest, 'instructions' | 'tools' | 'output'>) => number;
}
