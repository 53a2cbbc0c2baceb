import type { Recipient } from '../keyboard/message-queue.ts';
import type { Ask } from '../keyboard/question-prompts.ts';
import type { Written } from './message-writer.ts';

/** The place where a person or a pipe writes messages. */
export interface Desk {
  /** True if questions can be asked here. */
  readonly asks: boolean;
  /** The notice that a response was stopped. */
  readonly stopped: string;
  /** Returns the next message or command, an interrupt, or the end of the chat. */
  next(): Promise<Written>;
  /** Runs work that can be stopped here, by aborting its signal. */
  attend<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Sends messages that are written during the current work to its run. */
  steer(recipient: Recipient): void;
  /**
   * Notes that the run has read a message. `text` is given if the message may come from elsewhere: another process,
   * or an earlier chat.
   */
  read(id: string, text?: string): void;
  /** Asks a question; `current` is aborted to end it. @throws `PromptLeft` if it stays open */
  readonly ask: Ask;
  /** The signal of the current work; between pieces of work, that of the chat. */
  readonly current: AbortSignal;
  /** Puts a message that was not sent back into the line. */
  putBack(text: string): void;
  /** Adds a message to the history. */
  remember(text: string): void;
  /** Ends the reading, and restores the terminal. */
  close(): void;
}
