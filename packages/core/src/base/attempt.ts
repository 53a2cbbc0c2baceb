import { asThrown } from './thrown.ts';

/** A thrown value, boxed: a promise resolved with the value itself might treat it as a thenable. */
export interface Failure {
  readonly error: unknown;
}

/** Returns the failure of a function; undefined if it succeeded. */
export async function attempt(work: () => Promise<unknown>): Promise<Failure | undefined> {
  try {
    await work();
    return undefined;
  } catch (thrown) {
    return { error: asThrown(thrown) };
  }
}

/** Returns a function's result or error as a promise. */
export async function attempted<T>(work: () => T | Promise<T>): Promise<T> {
  return work();
}
