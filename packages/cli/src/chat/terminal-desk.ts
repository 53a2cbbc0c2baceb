import type { Keyboard } from '../keyboard/keyboard.ts';
import { MessageLine, nothingEarlier } from '../keyboard/message-line.ts';
import type { Recipient } from '../keyboard/message-queue.ts';
import { questionPrompts, type Ask } from '../keyboard/question-prompts.ts';
import { oneLine } from '../terminal/printable.ts';
import type { Screen } from '../terminal/screen.ts';
import { readable } from '../terminal/visible.ts';
import { Attendance } from './attendance.ts';
import { completeMessage } from './complete-message.ts';
import type { Desk } from './desk.ts';
import type { History } from './history.ts';
import { writeMessage, type Written } from './message-writer.ts';

export interface TerminalDeskParts {
  readonly screen: Screen;
  readonly keyboard: Keyboard;
  /** Returns the messages of earlier chats; undefined until they are known. */
  readonly history: () => History | undefined;
  /** Returns the commands that Tab completes. */
  readonly names: () => readonly string[];
  /** Aborted to end the chat. */
  readonly signal: AbortSignal;
  /** Called on Ctrl-C while a response is being stopped; ends the process. */
  readonly onImpatience: () => void;
}

/** The desk of a person at a terminal. Ctrl-C and Esc stop the current work. */
export class TerminalDesk implements Desk {
  readonly asks = true;
  readonly #parts: TerminalDeskParts;
  readonly #line: MessageLine;
  /** Aborted to stop the current response or, between responses, to end the chat. */
  #current: AbortSignal;
  #attendance: Attendance | undefined;
  /** True if the chat ends after the current work, unless something is typed. */
  #endsNext = false;

  constructor(parts: TerminalDeskParts) {
    const { history, names, screen, signal } = parts;
    this.#parts = parts;
    this.#current = signal;
    this.#line = new MessageLine({
      browse: () => history()?.browse() ?? nothingEarlier,
      complete: (draft) => completeMessage(draft, { names: names(), folder: screen.io.cwd }),
    });
  }

  get stopped(): string {
    return this.#attendance?.isForMessage === true
      ? 'stopped, for your message'
      : 'stopped (/resume continues, Ctrl-C again exits)';
  }

  get current(): AbortSignal {
    return this.#current;
  }

  async next(): Promise<Written> {
    const { screen, keyboard, signal } = this.#parts;
    const line = this.#line;
    const text = line.queue.next();
    if (text !== undefined) {
      screen.note(`${screen.paintNotes.bold('> ')}${readable(text)}`);
      return { type: 'text', text };
    }
    const isEnd = this.#endsNext && line.isEmpty;
    this.#endsNext = false;
    return isEnd ? { type: 'end' } : writeMessage({ screen, keyboard, line, signal });
  }

  async attend<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = this.#parts;
    const attendance = new Attendance({
      ...this.#parts,
      line: this.#line,
      onEnd: () => (this.#endsNext = true),
    });
    try {
      this.#attendance = attendance;
      this.#current = AbortSignal.any([attendance.stopped, signal]);
      return await work(this.#current);
    } finally {
      await attendance.end();
      this.#attendance = undefined;
      this.#current = signal;
    }
  }

  steer(recipient: Recipient): void {
    this.#attendance?.steer(recipient);
  }

  read(id: string, sent?: string): void {
    const { screen } = this.#parts;
    const own = this.#line.queue.read(id);
    const text = own ?? sent;
    if (text === undefined) return;
    if (own !== undefined) this.remember(own);
    screen.note(screen.paintNotes.dim(`  (read) ${oneLine(readable(text))}`));
  }

  readonly ask: Ask = async (question) => {
    const { screen, keyboard } = this.#parts;
    // Keys between the parts of a question wait for the next part.
    this.#attendance?.pause();
    try {
      const line = this.#line;
      return await question(
        questionPrompts({ screen, keyboard, line, signal: this.#current, takesMessages: true }),
      );
    } finally {
      this.#attendance?.listen();
    }
  };

  putBack(text: string): void {
    this.#line.putBack(text, ...this.#line.queue.drain());
  }

  remember(text: string): void {
    this.#parts.history()?.add(text);
  }

  close(): void {
    this.#parts.keyboard.end();
  }
}
