import type { RunInfo } from '@shallot/core';

/** The time that runs take in this process: a run that waits for an answer is in none. */
export class RunClock {
  /** By run: up to when its time has been counted. */
  readonly #countedUntil = new Map<string, number>();
  readonly #now: () => number;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  async during<T>(run: RunInfo, next: () => Promise<T>): Promise<T> {
    this.#countedUntil.set(run.id, this.#now());
    try {
      return await next();
    } finally {
      this.#countedUntil.delete(run.id);
    }
  }

  /** The milliseconds since this was last asked. */
  elapsed({ id }: RunInfo): number {
    const before = this.#countedUntil.get(id);
    if (before === undefined) return 0;
    const now = this.#now();
    this.#countedUntil.set(id, now);
    return now - before;
  }
}
