import type { RunInfo } from '@shallot/core';

/** Measures the time of runs in this process, without the time that they wait for answers. */
export class RunClock {
  /** The time up to which a run was counted, by run id. */
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

  /** Returns the milliseconds since the last call for this run. */
  elapsed({ id }: RunInfo): number {
    const before = this.#countedUntil.get(id);
    if (before === undefined) return 0;
    const now = this.#now();
    this.#countedUntil.set(id, now);
    return now - before;
  }
}
