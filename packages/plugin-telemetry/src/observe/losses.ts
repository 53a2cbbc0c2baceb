import type { Logger } from '@shallot/core';
import { reasonOf } from '@shallot/core/plugin';

/** Counts lost items by sink, and reports the first loss of each. Observing must never disturb a run. */
export class Losses {
  readonly #log: Logger;
  readonly #counts = new Map<string, number>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** The number of lost items of a sink. */
  of(sink: string): number {
    return this.#counts.get(sink) ?? 0;
  }

  /** Counts a lost item, or several with `lost`. */
  count(sink: string, error: unknown, lost = 1): void {
    const before = this.of(sink);
    this.#counts.set(sink, before + lost);
    if (before > 0) return;
    this.#log.warn(
      { code: 'telemetry/LOST', sink, err: error },
      `Telemetry is being lost: ${sink} failed with: ${reasonOf(error)}. Runs are not affected. Further losses are counted, and the count is logged when the agent is closed.`,
    );
  }

  /** Counts the rejection of a promise that a sink returned, because its author may have written an `async` method. */
  countRejection(sink: string, returned: unknown): void {
    if (returned instanceof Promise) returned.catch((error: unknown) => this.count(sink, error));
  }

  /**
   * Reports the number of lost items of each sink that lost more than one: the first loss was reported when it
   * happened.
   */
  sum(): void {
    for (const [sink, lost] of this.#counts) {
      if (lost > 1) this.#log.info({ sink, lost }, `Telemetry was lost: ${sink} failed ${lost} times.`);
    }
  }
}
