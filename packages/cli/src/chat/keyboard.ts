import { emitKeypressEvents } from 'node:readline';

import type { Io } from '../terminal/io.ts';

export interface Key {
  /** `return`, `left`, `a` …; some keys have none. */
  readonly name?: string | undefined;
  readonly ctrl: boolean;
  readonly meta: boolean;
  /** The text that the key produces. */
  readonly text?: string | undefined;
  /** The bytes from the terminal. */
  readonly sequence: string;
}

type Listener = (key: Key) => void;

/**
 * The keys of a terminal in raw mode, where Ctrl-C is a key, too. Keys typed without a listener are buffered for the
 * next one.
 */
export class Keyboard {
  readonly #stdin: Io['stdin'];
  readonly #gone = new AbortController();
  readonly #keys: Key[] = [];
  #listener: Listener | undefined;
  #onInterrupt: (() => void) | undefined;
  #isOpen = false;
  #wasListenedTo = false;

  constructor(stdin: Io['stdin']) {
    this.#stdin = stdin;
    emitKeypressEvents(stdin);
    for (const event of lost) stdin.on(event, this.#onGone);
  }

  /** Aborted when the terminal is closed. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Switches the terminal to raw mode and starts reading. */
  open(): void {
    if (this.#isOpen || this.gone.aborted) return;
    this.#isOpen = true;
    this.#stdin.setRawMode?.(true);
    this.#stdin.on('keypress', this.#onKey).resume();
  }

  /** Releases the terminal, and drops buffered keys, which were not meant for the next reader. */
  close(): void {
    this.#keys.length = 0;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#stdin.off('keypress', this.#onKey).pause();
    if (!this.gone.aborted) this.#stdin.setRawMode?.(false);
  }

  /** Closes the keyboard for good. */
  end(): void {
    this.close();
    for (const event of lost) this.#stdin.off(event, this.#onGone);
  }

  /** Passes keys to a listener, buffered ones first. Returns a function that stops this. */
  listen(listener: Listener): () => void {
    this.#listener = listener;
    this.#wasListenedTo = true;
    queueMicrotask(() => this.#deliver());
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  /** Calls a function on Ctrl-C without a listener. Returns a function that stops this. */
  watchInterrupt(onInterrupt: () => void): () => void {
    this.#onInterrupt = onInterrupt;
    return () => {
      if (this.#onInterrupt === onInterrupt) this.#onInterrupt = undefined;
    };
  }

  /** Simulates Ctrl-C, for a signal from another process. */
  interrupt(): void {
    this.#press({ name: 'c', ctrl: true, meta: false, sequence: '\u0003' });
  }

  #press(key: Key): void {
    if (this.#listener === undefined && key.ctrl && key.name === 'c') {
      // Drops buffered keys, too.
      this.#keys.length = 0;
      if (this.#onInterrupt !== undefined) return this.#onInterrupt();
    }
    this.#keys.push(key);
    this.#deliver();
  }

  #deliver(): void {
    while (this.#listener !== undefined) {
      const key = this.#keys.shift();
      if (key === undefined) return;
      this.#listener(key);
    }
  }

  readonly #onGone = (): void => this.#gone.abort();

  readonly #onKey = (text: string | undefined, key: Omit<Key, 'text'>): void => {
    // Before raw mode, the terminal sent line feeds for Enter.
    const isEarlyEnter = !this.#wasListenedTo && key.name === 'enter';
    this.#press({ ...key, text, ...(isEarlyEnter && { name: 'return' }) });
  };
}

/** The events of a stream that sends no more data. */
const lost = ['end', 'close', 'error'] as const;
