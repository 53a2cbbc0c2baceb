import type { RunInfo } from '@shallot/core';
import { rootOf } from '@shallot/core/plugin';

/**
 * Measures the time of runs in this process, without the time that they wait for answers. The time of a child counts
 * as that of its root.
 */
export class RunClock {
  /** The time up to which a run was counted, by the id of the root's run. */
  readonly #countedUntil = new Map<string, number>();
  readonly #now: () => number;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  async during<T>(run: RunInfo, next: () => Promise<T>): Promise<T> {
    if (run.parent !== undefined) return next();
    this.#countedUntil.set(run.id, this.#now());
    try {
      return await next();
    } finally {
      this.#countedUntil.delete(run.id);
    }
  }

  /** Returns the milliseconds since the last call for this run, or since its start; 0 if it is not in progress here. */
  elapsed(run: RunInfo): number {
    const { runId: id } = rootOf(run);
    const before = this.#countedUntil.get(id);
    if (before === undefined) return 0;
    const now = this.#now();
    this.#countedUntil.set(id, now);
    return now - before;
  }
}
