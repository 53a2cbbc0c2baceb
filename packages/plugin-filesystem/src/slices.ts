import { setImmediate } from 'node:timers/promises';

/** About a million comparisons: some milliseconds. */
const portion = 1_000_000;

/**
 * Divides long work into slices, so that the event loop turns between them: each costs about the same, whatever the
 * files. A memory file is there at once, and nothing else would let others have their turn.
 */
export class Slices {
  readonly #signal: AbortSignal;
  #spent = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Returns whether `rest` is due: asked where a promise for each piece of work would cost more than the work. */
  spend(comparisons: number): boolean {
    this.#spent += comparisons;
    return this.#spent >= portion;
  }

  /** @throws the reason of an abort */
  async rest(): Promise<void> {
    this.#spent = 0;
    await setImmediate();
    this.#signal.throwIfAborted();
  }
}
