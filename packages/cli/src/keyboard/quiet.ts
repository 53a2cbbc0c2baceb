/** The time without keys after which keys answer a question, in milliseconds. */
export const quietMs = 500;

/**
 * Distinguishes keys that were pressed on purpose from those that were typed before a question appeared: keys count
 * after a quiet time. Times are in milliseconds.
 */
export class Quiet {
  #last: number;
  #isOver = false;

  constructor(now: number) {
    this.#last = now;
  }

  /** Returns whether a key at this time counts. */
  countsAt(now: number): boolean {
    return this.#isOver || now - this.#last >= quietMs;
  }

  /** Notes a key. Returns whether it counts. */
  heard(at: number): boolean {
    this.#isOver = this.countsAt(at);
    this.#last = Math.max(at, this.#last);
    return this.#isOver;
  }

  /** Makes keys count only after another quiet time. */
  reset(): void {
    this.#isOver = false;
  }
}
