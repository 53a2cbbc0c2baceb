import { emitKeypressEvents } from 'node:readline';

import type { Io } from '../terminal/io.ts';

export interface Key {
  /** `return`, `left`, `a` …; some keys have none. */
  readonly name?: string | undefined;
  readonly ctrl: boolean;
  readonly meta: boolean;
  /** What the key writes. */
  readonly text?: string | undefined;
  /** What the terminal sent. */
  readonly sequence: string;
}

type Listener = (key: Key) => void;

/**
 * The keys of a terminal, none of which is echoed or handled by the terminal itself: Ctrl-C is a key too. What is typed while
 * nobody listens is kept for whoever listens next.
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

  /** Aborted when the terminal is gone. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Takes the keys from the terminal. */
  open(): void {
    if (this.#isOpen || this.gone.aborted) return;
    this.#isOpen = true;
    this.#stdin.setRawMode?.(true);
    this.#stdin.on('keypress', this.#onKey).resume();
  }

  /** Leaves the terminal to somebody else, and forgets what was typed ahead: it was not meant for them. */
  close(): void {
    this.#keys.length = 0;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#stdin.off('keypress', this.#onKey).pause();
    if (!this.gone.aborted) this.#stdin.setRawMode?.(false);
  }

  /** Closes it for good. */
  end(): void {
    this.close();
    for (const event of lost) this.#stdin.off(event, this.#onGone);
  }

  /** Gives each key to a listener, those typed ahead first, until the function that it returns is called. */
  listen(listener: Listener): () => void {
    this.#listener = listener;
    this.#wasListenedTo = true;
    queueMicrotask(() => this.#deliver());
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  /** Calls a function at Ctrl-C while nobody listens, until the function that it returns is called. */
  watchInterrupt(onInterrupt: () => void): () => void {
    this.#onInterrupt = onInterrupt;
    return () => {
      if (this.#onInterrupt === onInterrupt) this.#onInterrupt = undefined;
    };
  }

  /** As if the key had been pressed: for the signal of another process. */
  interrupt(): void {
    this.#press({ name: 'c', ctrl: true, meta: false, sequence: '\u0003' });
  }

  #press(key: Key): void {
    if (this.#listener === undefined && key.ctrl && key.name === 'c') {
      // What was typed before it is given up, too.
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
    // What was typed before the terminal was taken has line feeds where Enter was hit.
    const isEarlyEnter = !this.#wasListenedTo && key.name === 'enter';
    this.#press({ ...key, text, ...(isEarlyEnter && { name: 'return' }) });
  };
}

/** What a stream says when nothing more comes from it. */
const lost = ['end', 'close', 'error'] as const;
