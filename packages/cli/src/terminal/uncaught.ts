import { isShallotError, type ShallotError } from '@shallot/core';

type Hear = (error: ShallotError) => void;

/** Uncaught errors: of promises that nothing awaits, and of timers. They fail the current work. */
export class Uncaught {
  readonly #tell: Hear;
  #hear: Hear;
  /** Errors already shown, since a timer may throw repeatedly. */
  readonly #shown = new Set<string>();

  /** `tell` receives errors that cannot fail any work, once each. */
  constructor(tell: Hear = () => undefined) {
    this.#tell = tell;
    this.#hear = (error) => this.#tellOnce(error);
  }

  report(error: ShallotError): void {
    this.#hear(error);
  }

  /** Returns the result of the work; rejects with the first uncaught error that occurs before the work ends. */
  async orFirst<T>(work: () => Promise<T>): Promise<T> {
    const first = Promise.withResolvers<never>();
    first.promise.catch(() => undefined);
    return this.#failing(first.reject, () => Promise.race([work(), first.promise]));
  }

  /**
   * Runs work with a signal that an uncaught error aborts, so that the work fails with this error. Returns once the
   * work has ended.
   */
  async orFailed<T>(signal: AbortSignal, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const failed = new AbortController();
    const abort = (error: ShallotError): void => failed.abort(error);
    return this.#failing(abort, () => run(AbortSignal.any([signal, failed.signal])), signal);
  }

  async #failing<T>(fail: Hear, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.#hear;
    const failures: ShallotError[] = [];
    this.#hear = (error) => {
      // A command that was stopped or has failed cannot fail again, so the error is only shown.
      if (failures.length > 0 || signal?.aborted === true) return this.#tellOnce(error);
      failures.push(error);
      this.#isNew(error);
      fail(error);
    };
    const [settled] = await Promise.allSettled([work()]);
    // Node reports unhandled rejections only when it is otherwise idle.
    await turnOfTheLoop();
    this.#hear = before;
    // The error may have come too late to fail the work, or the work had failed before.
    const [late] = failures;
    if (settled.status === 'fulfilled') {
      if (late !== undefined) throw late;
      return settled.value;
    }
    if (late !== undefined && !isShallotError(settled.reason, late.code)) this.#tell(late);
    throw settled.reason;
  }

  #tellOnce(error: ShallotError): void {
    if (this.#isNew(error)) this.#tell(error);
  }

  /** Returns true if an error was already reported here. */
  knows(error: ShallotError): boolean {
    return this.#shown.has(keyOf(error));
  }

  #isNew(error: ShallotError): boolean {
    const isNew = !this.knows(error);
    this.#shown.add(keyOf(error));
    return isNew;
  }
}

function keyOf({ message, plugin, at }: ShallotError): string {
  return JSON.stringify([message, plugin, at]);
}

/** Waits for one turn of the event loop. */
export function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
