import { Keyboard } from '../keyboard/keyboard.ts';
import { MessageLine } from '../keyboard/message-line.ts';
import { questionPrompts, type Ask } from '../keyboard/question-prompts.ts';
import { canAsk, PromptLeft } from '../terminal/prompts.ts';
import type { Screen } from '../terminal/screen.ts';

/** Returns a function that reads the terminal for each question; between questions, nothing reads it. */
export function terminalAsker(screen: Screen, signal: AbortSignal): Ask {
  return async (question) => {
    if (!canAsk(screen.io)) throw new PromptLeft();
    const keyboard = new Keyboard(screen.io.stdin);
    keyboard.open();
    try {
      const line = new MessageLine();
      return await question(questionPrompts({ screen, keyboard, line, signal, takesMessages: false }));
    } finally {
      keyboard.end();
    }
  };
}
