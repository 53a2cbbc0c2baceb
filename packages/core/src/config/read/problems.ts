import { combineErrors, isShallotError, type ShallotError } from '../../base/errors.ts';

/** Collects the errors of one stage of loading, so that they are reported together. */
export class Problems {
  readonly #errors: ShallotError[] = [];

  get errors(): readonly ShallotError[] {
    return this.#errors;
  }

  add(error: ShallotError): void {
    this.#errors.push(...(error.errors.length > 0 ? error.errors : [error]));
  }

  /**
   * Runs a task and collects its error. Returns a function for the result, to be called after `throwIfAny`. Errors
   * other than a `ShallotError` are bugs, and rethrown.
   */
  async attempt<T>(work: () => T | Promise<T>): Promise<() => T> {
    try {
      const result = await work();
      return () => result;
    } catch (error) {
      if (!isShallotError(error)) throw error;
      this.add(error);
      return () => {
        throw error;
      };
    }
  }

  /** Runs a task for each item in parallel. Returns the successful results in order. */
  async attemptEach<T, R>(items: readonly T[], work: (item: T) => R | Promise<R>): Promise<R[]> {
    const made: { readonly index: number; readonly result: R }[] = [];
    await Promise.all(
      items.map((item, index) => this.attempt(async () => made.push({ index, result: await work(item) }))),
    );
    return made.toSorted((a, b) => a.index - b.index).map(({ result }) => result);
  }

  /** Throws the collected error; several as one `SETUP_FAILED`. */
  throwIfAny(what: string): void {
    const [first, ...others] = this.#errors;
    if (first !== undefined) throw combineErrors(what, [first, ...others]);
  }
}
