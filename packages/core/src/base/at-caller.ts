import { isShallotError } from './errors.ts';

/** A function that programs call. */
export type Entry = (...args: never[]) => unknown;

/**
 * Returns the result of a check. The stack of a `ShallotError` that it throws begins at the caller of `entry`, if that
 * is on the stack: an uncaught error then shows a line of the program rather than one of this package.
 */
export function atCaller<T>(entry: Entry | undefined, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (entry !== undefined && isShallotError(error) && isCalled(entry))
      Error.captureStackTrace(error, entry);
    throw error;
  }
}

/** Returns true if a function is on the stack with a caller; without one, the stack of an error would be empty. */
function isCalled(entry: Entry): boolean {
  const probe: { stack?: string } = {};
  Error.captureStackTrace(probe, entry);
  return /\n\s+at /.test(probe.stack ?? '');
}

/** Returns a method as an entry, which is only searched for on the stack, not called. */
export function entryOf<K extends string>(owner: Readonly<Record<K, Entry>>, name: K): Entry {
  return owner[name];
}
