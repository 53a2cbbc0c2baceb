import { completeWord } from '../keyboard/complete-word.ts';
import type { Keyboard } from '../keyboard/keyboard.ts';
import { MessageLine } from '../keyboard/message-line.ts';
import { questionPrompts } from '../keyboard/question-prompts.ts';
import type { Screen } from '../terminal/screen.ts';
import { readable } from '../terminal/visible.ts';
import type { Desk } from './desk.ts';
import type { History } from './history.ts';
import { writeMessage } from './message-writer.ts';

export interface TerminalDeskParts {
  readonly screen: Screen;
  readonly keyboard: Keyboard;
  readonly history: History;
  /** Returns the words that Tab completes. */
  readonly names: () => readonly string[];
  /** Aborted to end the chat. */
  readonly signal: AbortSignal;
  /** Called on Ctrl-C while a response is being stopped; ends the process. */
  readonly onImpatience: () => void;
}

/** Returns the desk of a person at a terminal. Ctrl-C stops the current work. */
export function terminalDesk({
  screen,
  keyboard,
  history,
  names,
  signal,
  onImpatience,
}: TerminalDeskParts): Desk {
  /** Aborts the current work: the response, else the chat. */
  let current = signal;
  const line = new MessageLine({
    browse: () => history.browse(),
    complete: (text) => completeWord(text, names()),
  });
  return {
    asks: true,
    stopped: 'stopped (/resume continues, Ctrl-C again exits)',
    get current() {
      return current;
    },
    async next() {
      const text = line.next();
      if (text === undefined) return writeMessage({ screen, keyboard, line, signal });
      screen.note(`${screen.paintNotes.bold('> ')}${readable(text)}`);
      return { type: 'text', text };
    },
    async attend(work) {
      const stop = new AbortController();
      const unwatch = keyboard.watchInterrupt(() => {
        if (stop.signal.aborted) return onImpatience();
        line.recall();
        screen.note('Stopping … (press again to end the chat now)');
        stop.abort();
      });
      try {
        current = AbortSignal.any([stop.signal, signal]);
        return await work(current);
      } finally {
        current = signal;
        unwatch();
      }
    },
    ask: (question) =>
      question(questionPrompts({ screen, keyboard, line, signal: current, takesMessages: true })),
    putBack: (text) => line.recall(text),
    remember: (text) => history.add(text),
    close: () => keyboard.end(),
  };
}
