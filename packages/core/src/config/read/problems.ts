import { combineErrors, isShallotError, type ShallotError } from '../../base/errors.ts';

/** The errors of one stage of loading, so that all of them are reported together. */
export class Problems {
  readonly #errors: ShallotError[] = [];

  get errors(): readonly ShallotError[] {
    return this.#errors;
  }

  add(error: ShallotError): void {
    this.#errors.push(...(error.errors.length > 0 ? error.errors : [error]));
  }

  /**
   * Does a piece of work and keeps its error; gives a function for its result, to be called once `throwIfAny` has let
   * pass. What is not a `ShallotError` is thrown on: it is a bug.
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

  /** Does something with each item, all at once; gives the results of those that succeeded. */
  async attemptEach<T, R>(items: readonly T[], work: (item: T) => R | Promise<R>): Promise<R[]> {
    const made: { readonly index: number; readonly result: R }[] = [];
    await Promise.all(
      items.map((item, index) => this.attempt(async () => made.push({ index, result: await work(item) }))),
    );
    return made.toSorted((a, b) => a.index - b.index).map(({ result }) => result);
  }

  /** Ends the stage. @throws the one error, or `SETUP_FAILED` with several */
  throwIfAny(what: string): void {
    const [first, ...others] = this.#errors;
    if (first !== undefined) throw combineErrors(what, [first, ...others]);
  }
}
