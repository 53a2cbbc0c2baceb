import type { Screen } from '../terminal/screen.ts';
import type { Keyboard } from './keyboard.ts';
import type { MessageLine } from './message-line.ts';

/** The terminal on which a question is asked. */
export interface QuestionParts {
  readonly screen: Screen;
  readonly keyboard: Keyboard;
  /** Gets all text that does not answer. */
  readonly line: MessageLine;
  readonly signal: AbortSignal;
  /** True if somebody reads the messages of the line. */
  readonly takesMessages: boolean;
}
