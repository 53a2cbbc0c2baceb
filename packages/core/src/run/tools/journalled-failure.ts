import { isShallotError, ShallotError } from '../../base/errors.ts';
import { isTransient } from '../../base/is-transient.ts';
import type { JournalledFailure } from '../../contract/store.ts';

/** Returns the part of a tool's error that is journalled with its result. */
export function journalledFailure(error: unknown): JournalledFailure {
  const { code, retryAt } = isShallotError(error) ? error : {};
  return {
    ...(code !== undefined && { code }),
    ...(isTransient(error) && { transient: true as const }),
    // An invalid date cannot be stored as JSON.
    ...(Number.isFinite(retryAt) && retryAt !== undefined && { retryAt }),
  };
}

/** Returns the journalled part of an error as an error, so that layers of a resumed run can classify it. */
export function revivedFailure({ code, transient, retryAt }: JournalledFailure, message: string): Error {
  if (code !== undefined) return new ShallotError(code, { message, transient: transient === true, retryAt });
  // `isTransient` reads this member of any error.
  return Object.assign(new Error(message), { isRetryable: transient === true });
}
