import { isShallotError, type ShallotError } from '@shallot/core';

type Hear = (error: ShallotError) => void;

/** Errors that nobody waits for: of promises that were forgotten, and of timers. What is under way hears of them. */
export class Uncaught {
  readonly #tell: Hear;
  #hear: Hear;
  /** What was shown: a timer may throw again and again. */
  readonly #shown = new Set<string>();

  /** `tell` gets what fails nothing, once: because nothing is under way, or it has failed already. */
  constructor(tell: Hear = () => undefined) {
    this.#tell = tell;
    this.#hear = (error) => this.#tellOnce(error);
  }

  report(error: ShallotError): void {
    this.#hear(error);
  }

  /** Rejects with such an error, at once, if there is one before the work is over. */
  async orFirst<T>(work: () => Promise<T>): Promise<T> {
    const first = Promise.withResolvers<never>();
    first.promise.catch(() => undefined);
    return this.#failing(first.reject, () => Promise.race([work(), first.promise]));
  }

  /** Gives a run a signal that such an error aborts, so that the run fails with it, and goes on when the run has ended. */
  async orFailed<T>(signal: AbortSignal, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const failed = new AbortController();
    const abort = (error: ShallotError): void => failed.abort(error);
    return this.#failing(abort, () => run(AbortSignal.any([signal, failed.signal])), signal);
  }

  async #failing<T>(fail: Hear, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.#hear;
    const failures: ShallotError[] = [];
    this.#hear = (error) => {
      // What was told to stop, or has failed already, fails no more.
      if (failures.length > 0 || signal?.aborted === true) return this.#tellOnce(error);
      failures.push(error);
      this.#isNew(error);
      fail(error);
    };
    const [settled] = await Promise.allSettled([work()]);
    // Node tells of a forgotten promise only when nothing else is left to do.
    await turnOfTheLoop();
    this.#hear = before;
    // It may have come too late to fail the work, or the work has failed otherwise before it.
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

  /** Whether an error was reported here, so that it is shown without anybody's help. */
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

/** Lets everything happen that is due. */
export function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
