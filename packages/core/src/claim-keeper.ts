import type { ActiveRun } from './active-run.ts';
import { messageOf, ShallotError } from './errors.ts';

/** Keeps the claims of an agent's runs alive, with one timer for all of them. */
export class ClaimKeeper {
  readonly #leaseMs: number;
  readonly #runs = new Set<ActiveRun>();
  #timer: NodeJS.Timeout | undefined;

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  keep(run: ActiveRun): void {
    this.#runs.add(run);
    // A claim may miss two renewals before it lapses. An idle timer stops at its next tick, not with every run.
    this.#timer ??= setInterval(() => this.#tick(), this.#leaseMs / 3);
    // A run keeps the process alive, also one that waits for nothing that Node knows of.
    this.#timer.ref();
  }

  drop(run: ActiveRun): void {
    this.#runs.delete(run);
    if (this.#runs.size === 0) this.#timer?.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    if (this.#runs.size === 0) return this.stop();
    for (const run of this.#runs) void this.#renew(run);
  }

  async #renew(run: ActiveRun): Promise<void> {
    try {
      if (await run.session.renew(this.#leaseMs)) return;
      run.abort(
        new ShallotError('STORE_CONFLICT', {
          message: `The claim on session "${run.session.id}" was lost: another process has taken it over.`,
        }),
      );
    } catch (error) {
      // The next tick tries again, and the lease has room for two failures.
      run.warn(
        'CLAIM_NOT_RENEWED',
        `The claim on session "${run.session.id}" could not be renewed: ${messageOf(error)}`,
      );
    }
  }
}
