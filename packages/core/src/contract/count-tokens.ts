import type { Message } from './messages.ts';
import type { ModelRequest } from './model.ts';

/** Counts the tokens of a text, exactly or about. */
export type CountTokens = (text: string) => number;

/** How many tokens the things that requests are made of take, about. */
export interface TokenCounts {
  readonly text: CountTokens;
  /** A frozen message is counted once. */
  readonly message: (message: Message) => number;
  readonly messages: (messages: readonly Message[]) => number;
  /** What is sent beside the messages: the instructions, the tools with their schemas, the shape of the output. */
  readonly overhead: (request: Pick<ModelRequest, 'instructions' | 'tools' | 'output'>) => number;
}
