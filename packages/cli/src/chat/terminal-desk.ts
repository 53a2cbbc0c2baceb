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
  /** What Tab completes. */
  readonly names: () => readonly string[];
  /** Aborted when the chat is to end. */
  readonly signal: AbortSignal;
  /** Ends the process at once: Ctrl-C while an answer is being stopped. */
  readonly onImpatience: () => void;
}

/** Somebody at a terminal. Ctrl-C stops what runs. */
export function terminalDesk({
  screen,
  keyboard,
  history,
  names,
  signal,
  onImpatience,
}: TerminalDeskParts): Desk {
  /** Ends what is under way: the answer, else the chat. */
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
