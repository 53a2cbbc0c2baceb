import type { Screen } from '../terminal/screen.ts';
import { completeWord } from './complete-word.ts';
import type { Desk } from './desk.ts';
import type { History } from './history.ts';
import type { Keyboard } from './keyboard.ts';
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
  return {
    asks: true,
    stopped: 'stopped (/resume continues, Ctrl-C again exits)',
    next: () =>
      writeMessage({ screen, keyboard, history, signal, complete: (text) => completeWord(text, names()) }),
    async attend(work) {
      const stop = new AbortController();
      const unwatch = keyboard.watchInterrupt(() => {
        if (stop.signal.aborted) return onImpatience();
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
    async ask(question) {
      keyboard.close();
      try {
        return await question(current);
      } finally {
        keyboard.open();
      }
    },
    remember: (text) => history.add(text),
    close: () => keyboard.end(),
  };
}
