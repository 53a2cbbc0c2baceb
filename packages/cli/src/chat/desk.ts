import type { Written } from './message-writer.ts';

/** The place where a person or a pipe writes messages. */
export interface Desk {
  /** True if questions can be asked here. */
  readonly asks: boolean;
  /** The notice that a response was stopped. */
  readonly stopped: string;
  /** Returns the next message or command. */
  next(): Promise<Written>;
  /** Runs work that can be stopped here, by aborting its signal. */
  attend<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Passes the terminal to prompts. */
  ask<T>(question: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Adds a message to the history. */
  remember(text: string): void;
  /** Restores the terminal. */
  close(): void;
}
