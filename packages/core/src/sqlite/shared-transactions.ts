import { setImmediate as tick } from 'node:timers/promises';

import { isShallotError } from '../base/errors.ts';

/** The time during which a transaction accepts more work, in milliseconds; it blocks the event loop. */
const roomMs = 5;

/** The transactions of a database. */
export interface Transactions {
  /**
   * Runs the work in a transaction; it may be called again after a rollback. @throws the error that failed the
   * transaction
   */
  transact(work: () => void): Promise<void>;
  /** Undoes only this part of the transaction if the work throws. */
  part<T>(work: () => T): T;
}

interface Part {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/**
 * Lets work that arrives in one tick of the event loop share a transaction, in the order of its arrival; work that finds
 * no room goes into the next one, a tick later. Failing work does not affect other work: if a whole transaction fails,
 * each of its parts is tried alone.
 */
export class SharedTransactions {
  readonly #transactions: Transactions;
  readonly #clock: () => number;
  readonly #waiting: Part[] = [];
  /** The number of waiting parts that must be tried alone. */
  #alone = 0;
  #working: Promise<void> | undefined;

  /** The clock is in milliseconds. */
  constructor(transactions: Transactions, clock = (): number => performance.now()) {
    this.#transactions = transactions;
    this.#clock = clock;
  }

  /** Returns the result of synchronous work after its transaction is committed. */
  add<T>(work: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    // The promise is resolved only with the result of this work.
    this.#waiting.push({ work, resolve: resolve as Part['resolve'], reject });
    this.#working ??= this.#work();
    return promise;
  }

  /** Settles when nothing is waiting; undefined if nothing is. */
  get settled(): Promise<void> | undefined {
    return this.#working;
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Yields to timers and requests; more work may arrive meanwhile.
      await tick();
      await this.#settleSome();
    }
    this.#working = undefined;
  }

  async #settleSome(): Promise<void> {
    const present = this.#waiting.length;
    let outcomes: Outcome[] = [];
    let begun = 0;
    try {
      await this.#transactions.transact(() => {
        outcomes = [];
        begun = 0;
        const isShared = this.#alone === 0 && this.#waiting.length > 1;
        const end = this.#clock() + roomMs;
        for (const { work } of this.#waiting) {
          begun += 1;
          outcomes.push(isShared ? this.#tryPart(work) : { value: work() });
          if (!isShared || this.#clock() > end) return;
        }
      });
    } catch (error) {
      // All parts have waited for the lock, so all of them fail.
      if (isShallotError(error) && error.transient) this.#reject(present, error);
      else if (begun < 2) this.#reject(1, error);
      else this.#alone = begun;
      return;
    }
    this.#alone = Math.max(0, this.#alone - 1);
    for (const [index, { resolve, reject }] of this.#waiting.splice(0, outcomes.length).entries()) {
      const outcome = outcomes[index];
      if (outcome === undefined) continue;
      if ('error' in outcome) reject(outcome.error);
      else resolve(outcome.value);
    }
  }

  /** A `ShallotError` fails only this part; any other error fails the whole transaction. */
  #tryPart(work: () => unknown): Outcome {
    try {
      return { value: this.#transactions.part(work) };
    } catch (error) {
      if (isShallotError(error)) return { error };
      throw error;
    }
  }

  #reject(count: number, error: unknown): void {
    this.#alone = Math.max(0, this.#alone - count);
    for (const { reject } of this.#waiting.splice(0, count)) reject(error);
  }
}
