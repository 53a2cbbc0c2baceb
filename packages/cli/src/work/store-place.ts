import { isShallotError, ShallotError } from '@shallot/core';
import type { SourceLocation } from '@shallot/core/plugin';

/**
 * Adds the place where the config names the store to an error of the store, which does not know this place. Errors of
 * runs that began stay as they are, because they are about the run.
 */
export function withStorePlace(error: unknown, at: SourceLocation | undefined): unknown {
  const isOfStore = isShallotError(error) && error.code.startsWith('STORE_') && error.result === undefined;
  if (!isOfStore || error.at !== undefined || at === undefined) return error;
  const { code, message, transient } = error;
  return new ShallotError(code, {
    message,
    at,
    cause: error,
    ...(transient === undefined ? {} : { transient }),
  });
}
