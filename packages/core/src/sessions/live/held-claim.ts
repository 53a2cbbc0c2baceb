import { newClaim, type Claim } from '../../base/claim.ts';
import { ShallotError } from '../../base/errors.ts';
import type { Wait } from '../../base/wait.ts';
import type { Store } from '../../contract/store.ts';

/**
 * The claim of a run as its process knows it: it is valid for the lease time, counted from when the last successful
 * renewal was sent. Counting from the request rather than the response errs on the safe side.
 */
export class HeldClaim {
  readonly #store: Store;
  readonly #sessionId: string;
  readonly #leaseMs: number;
  #since = new Stopwatch();
  #claim: Claim;
  #isLost = false;
  #renewal: Promise<boolean> | undefined;

  /** Creates the local record of a claim that was just made, for this lease. */
  constructor(store: Store, sessionId: string, claim: Claim, leaseMs: number) {
    this.#store = store;
    this.#sessionId = sessionId;
    this.#leaseMs = leaseMs;
    this.#claim = claim;
  }

  /** The claim as last sent to the store. */
  get claim(): Claim {
    return this.#claim;
  }

  /**
   * False if another process may hold the claim: this process slept, or the store was unreachable, for longer than the
   * lease.
   */
  get isHeld(): boolean {
    return !this.#isLost && this.#since.elapsedMs < this.#leaseMs;
  }

  get isRenewing(): boolean {
    return this.#renewal !== undefined;
  }

  /** The renewal of an expired claim, for which all new work waits. */
  get regaining(): Wait | undefined {
    if (this.#renewal === undefined || this.isHeld) return undefined;
    return { by: this.#renewal, what: `the store to renew the claim on session "${this.#sessionId}"` };
  }

  /**
   * Renews the claim. Returns true if a stop of the run was requested. Concurrent calls share one request, so that
   * requests cannot overtake each other. @throws `STORE_CONFLICT` in this and all later calls, if another process took
   * the claim
   */
  renew(): Promise<boolean> {
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #renew(): Promise<boolean> {
    const since = new Stopwatch();
    const claim = newClaim(this.#claim.owner, this.#leaseMs, this.#claim.root);
    const renewed = !this.#isLost && (await this.#store.renew(this.#sessionId, claim));
    if (renewed === false) {
      this.#isLost = true;
      const message = `The claim on session "${this.#sessionId}" was lost: another process took it over.`;
      throw new ShallotError('STORE_CONFLICT', { message });
    }
    this.#since = since;
    this.#claim = claim;
    return renewed === 'stop';
  }
}

/**
 * The time since its creation, by the clock that shows more: the wall clock may be set back, and the monotonic clock
 * may stop while the machine is suspended.
 */
export class Stopwatch {
  readonly #wall = Date.now();
  readonly #steady = performance.now();

  get elapsedMs(): number {
    return Math.max(Date.now() - this.#wall, performance.now() - this.#steady);
  }
}
