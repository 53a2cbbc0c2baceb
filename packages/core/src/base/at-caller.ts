import { isShallotError } from './errors.ts';

/** A function that programs call. */
export type Entry = (...args: never[]) => unknown;

/**
 * Returns what a check returns. The stack of a mistake that it finds begins at the caller of `entry`, so that an error
 * which nobody catches shows the line of the program, and not one of ours.
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

/** True if a function is on the stack with a caller; without one, the stack of an error would be empty. */
function isCalled(entry: Entry): boolean {
  const probe: { stack?: string } = {};
  Error.captureStackTrace(probe, entry);
  return /\n\s+at /.test(probe.stack ?? '');
}

/** Returns a method as an entry: it is looked for on the stack, and not called. */
export function entryOf<K extends string>(owner: Readonly<Record<K, Entry>>, name: K): Entry {
  return owner[name];
}
