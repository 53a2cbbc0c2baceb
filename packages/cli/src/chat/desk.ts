import type { Written } from './message-writer.ts';

/** Where somebody, or a pipe, writes to the agent. */
export interface Desk {
  /** Whether questions can be asked here. */
  readonly asks: boolean;
  /** What is said when an answer was stopped. */
  readonly stopped: string;
  /** The next message or command. */
  next(): Promise<Written>;
  /** Lets something run that can be stopped from here: its signal is then aborted. */
  attend<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Gives the terminal to prompts. */
  ask<T>(question: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Remembers what was written. */
  remember(text: string): void;
  /** Leaves the terminal as it was. */
  close(): void;
}
