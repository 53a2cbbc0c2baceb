import { asThrown } from './thrown.ts';

/** What something threw. In a box: a promise that is resolved with what was thrown might take it for a thenable. */
export interface Failure {
  readonly error: unknown;
}

/** How something failed, or undefined when it did not. */
export async function attempt(work: () => Promise<unknown>): Promise<Failure | undefined> {
  try {
    await work();
    return undefined;
  } catch (thrown) {
    return { error: asThrown(thrown) };
  }
}

/** What a function gives or throws, as a promise. */
export async function attempted<T>(work: () => T): Promise<T> {
  return work();
}
