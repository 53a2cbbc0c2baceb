import type { Screen } from '../terminal/screen.ts';
import type { Keyboard } from './keyboard.ts';
import type { MessageLine } from './message-line.ts';

/** The terminal on which a question is asked. */
export interface QuestionParts {
  readonly screen: Screen;
  readonly keyboard: Keyboard;
  /** Receives all text that does not answer the question. */
  readonly line: MessageLine;
  readonly signal: AbortSignal;
  /** True if messages of the line are sent once the question is answered. */
  readonly takesMessages: boolean;
}
