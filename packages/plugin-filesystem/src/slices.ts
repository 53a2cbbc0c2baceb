import { setImmediate } from 'node:timers/promises';

/** The comparisons of one slice, which take some milliseconds. */
const portion = 1_000_000;

/**
 * Divides long work into slices of about the same cost, and lets the event loop turn between them. Files in memory
 * need it most, because reading them never waits.
 */
export class Slices {
  readonly #signal: AbortSignal;
  #spent = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /**
   * Counts work, and returns whether `rest` is due. It is separate from `rest`, because a promise for each piece of
   * work would cost more than the work.
   */
  spend(comparisons: number): boolean {
    this.#spent += comparisons;
    return this.#spent >= portion;
  }

  /** Lets other work proceed. @throws the reason of an abort */
  async rest(): Promise<void> {
    this.#spent = 0;
    await setImmediate();
    this.#signal.throwIfAborted();
  }
}
