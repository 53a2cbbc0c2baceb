import { isShallotError, ShallotError } from '../../base/errors.ts';
import { isTransient } from '../../base/is-transient.ts';
import type { JournalledFailure } from '../../contract/store.ts';

/** What of an error that a tool threw is kept with its result. */
export function journalledFailure(error: unknown): JournalledFailure {
  const { code, retryAt } = isShallotError(error) ? error : {};
  return {
    ...(code !== undefined && { code }),
    ...(isTransient(error) && { transient: true as const }),
    // What is no date cannot be kept as JSON, and says nothing.
    ...(Number.isFinite(retryAt) && retryAt !== undefined && { retryAt }),
  };
}

/** The error, as far as it was kept: layers that are entered again decide by it as they did before. */
export function revivedFailure({ code, transient, retryAt }: JournalledFailure, message: string): Error {
  if (code !== undefined) return new ShallotError(code, { message, transient: transient === true, retryAt });
  // `isTransient` reads this member of any error.
  return Object.assign(new Error(message), { isRetryable: transient === true });
}
