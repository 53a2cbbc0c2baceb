import { messageOf, type Logger } from '@shallot/core';

/** Counts what could not be handed on, by sink, and says so once for each: observing must never disturb a run. */
export class Losses {
  readonly #log: Logger;
  readonly #counts = new Map<string, number>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** How often a sink has failed. */
  of(sink: string): number {
    return this.#counts.get(sink) ?? 0;
  }

  count(sink: string, error: unknown): void {
    const count = this.of(sink) + 1;
    this.#counts.set(sink, count);
    if (count > 1) return;
    this.#log.warn(
      { sink, err: error },
      `Telemetry is being lost: ${sink} failed with: ${messageOf(error)}. Runs are not affected. Further losses of it are counted, and the count is logged when the agent is closed.`,
    );
  }

  /** Says how much was lost altogether, if it was more than what has been said. */
  sum(): void {
    for (const [sink, lost] of this.#counts) {
      if (lost > 1) this.#log.info({ sink, lost }, `Telemetry was lost: ${sink} failed ${lost} times.`);
    }
  }
}
