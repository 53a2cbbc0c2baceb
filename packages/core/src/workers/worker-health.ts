import { messageOf } from '../base/thrown.ts';
import type { Logger } from '../log/logger.ts';

/** The state of a worker's connection to its store. */
export interface WorkerHealth {
  /** False if the store has not answered for a minute. */
  readonly isHealthy: boolean;
  /** The time of its last answer, or of the worker's start, in milliseconds since 1970. */
  readonly answeredAt: number;
  /** The error of the last search for work, if it failed. */
  readonly error?: string;
}

/** The time that a store may be silent, in milliseconds. */
const mostSilenceMs = 60_000;

/** Monitors the answers of a worker's store, and reports when they stop, and when they return. */
export class HealthWatch {
  readonly #log: Logger;
  readonly #report: (health: WorkerHealth) => void;
  #health: WorkerHealth = { isHealthy: true, answeredAt: Date.now() };

  constructor(log: Logger, report: ((health: WorkerHealth) => void) | undefined) {
    this.#log = log;
    this.#report = (health) => {
      try {
        report?.(health);
      } catch (error) {
        log.warn(`onHealth of the worker threw: ${messageOf(error)}`);
      }
    };
  }

  /** True if the store has been silent for half of the allowed time. */
  get isQuiet(): boolean {
    return Date.now() - this.#health.answeredAt >= mostSilenceMs / 2;
  }

  answered(): void {
    const { isHealthy } = this.#health;
    this.#health = { isHealthy: true, answeredAt: Date.now() };
    if (isHealthy) return;
    this.#log.info('The store of the worker answers again.');
    this.#report(this.#health);
  }

  failed(error: unknown): void {
    this.#health = { ...this.#health, error: messageOf(error) };
  }

  /** Reports a silence that has lasted too long, once. */
  check(): void {
    const { isHealthy, answeredAt, error } = this.#health;
    if (!isHealthy || Date.now() - answeredAt < mostSilenceMs) return;
    this.#health = { ...this.#health, isHealthy: false };
    const why = error === undefined ? '' : ` The last error: ${error}`;
    this.#log.error(
      { code: 'WORKER_CUT_OFF' },
      `The store of the worker has not answered since ${new Date(answeredAt).toISOString()}. It goes on trying; check the store and the network.${why}`,
    );
    this.#report(this.#health);
  }
}
