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
  /** When it was pressed, in milliseconds by the keyboard's clock. */
  readonly at: number;
  /** True if the terminal sent it in one piece with the key before it, as it sends pasted text. */
  readonly isBurst: boolean;
}

type Listener = (key: Key) => void;

/**
 * The keys of a terminal in raw mode, where Ctrl-C is a key, too. Keys typed without a listener are buffered for the
 * next one.
 */
export class Keyboard {
  /** The keyboard's clock. */
  readonly now: () => number;
  readonly #stdin: Io['stdin'];
  readonly #gone = new AbortController();
  #keys: Key[] = [];
  #listener: Listener | undefined;
  #onInterrupt: (() => void) | undefined;
  #isOpen = false;
  #wasListenedTo = false;
  /** True if the next key is the first one of a piece that the terminal sends at once. */
  #isFirstOfPiece = true;

  constructor(stdin: Io['stdin'], now = (): number => performance.now()) {
    this.#stdin = stdin;
    this.now = now;
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
    this.#stdin.on('data', this.#onPiece).on('keypress', this.#onKey).resume();
  }

  /** Releases the terminal. Buffered keys stay. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#stdin.off('data', this.#onPiece).off('keypress', this.#onKey).pause();
    if (!this.gone.aborted) this.#stdin.setRawMode?.(false);
  }

  /** Leaves the terminal to another program while a function runs. */
  async lend<T>(use: () => Promise<T>): Promise<T> {
    const wasOpen = this.#isOpen;
    this.close();
    try {
      return await use();
    } finally {
      if (wasOpen) this.open();
    }
  }

  /** Closes the keyboard for good. */
  end(): void {
    this.close();
    for (const event of lost) this.#stdin.off(event, this.#onGone);
  }

  /** Passes keys to a listener, buffered ones first. Returns a function that stops listening. */
  listen(listener: Listener): () => void {
    this.#listener = listener;
    this.#wasListenedTo = true;
    queueMicrotask(() => this.#deliver());
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  /**
   * Calls a function on Ctrl-C without a listener. Buffered text stays, but is no longer sent: its Enter keys start
   * lines. Returns a function that stops watching.
   */
  watchInterrupt(onInterrupt: () => void): () => void {
    this.#onInterrupt = onInterrupt;
    return () => {
      if (this.#onInterrupt === onInterrupt) this.#onInterrupt = undefined;
    };
  }

  /** Simulates Ctrl-C, for a signal from another process. */
  interrupt(): void {
    this.#press({ name: 'c', ctrl: true, meta: false, sequence: '\u0003', at: this.now(), isBurst: false });
  }

  #press(key: Key): void {
    if (this.#listener === undefined && key.ctrl && key.name === 'c') {
      this.#keys = this.#keys.map((each) => (each.name === 'return' ? { ...each, meta: true } : each));
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

  readonly #onPiece = (): void => {
    this.#isFirstOfPiece = true;
  };

  readonly #onKey = (
    text: string | undefined,
    key: Pick<Key, 'name' | 'ctrl' | 'meta' | 'sequence'>,
  ): void => {
    // Before raw mode is on, terminals send a line feed for Enter.
    const isEarlyEnter = !this.#wasListenedTo && key.name === 'enter';
    const isBurst = !this.#isFirstOfPiece;
    this.#isFirstOfPiece = false;
    this.#press({ ...key, text, at: this.now(), isBurst, ...(isEarlyEnter && { name: 'return' }) });
  };
}

/** The events of a stream that sends no more data. */
const lost = ['end', 'close', 'error'] as const;
