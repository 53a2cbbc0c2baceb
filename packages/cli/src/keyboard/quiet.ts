/** The time without keys after which keys answer a question, in milliseconds. */
export const quietMs = 500;

/** Knows whether a key was pressed on purpose: once none came for a while. Times are in milliseconds. */
export class Quiet {
  #last: number;
  #isOver = false;

  constructor(now: number) {
    this.#last = now;
  }

  /** True once keys count at a time. */
  countsAt(now: number): boolean {
    return this.#isOver || now - this.#last >= quietMs;
  }

  /** Notes a key. Returns whether it counts. */
  heard(at: number): boolean {
    this.#isOver = this.countsAt(at);
    this.#last = Math.max(at, this.#last);
    return this.#isOver;
  }

  /** Keys count only after another quiet time. */
  reset(): void {
    this.#isOver = false;
  }
}
