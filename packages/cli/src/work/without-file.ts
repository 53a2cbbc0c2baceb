import { isShallotError, ShallotError } from '@shallot/core';

/**
 * Removes the file from the place of an error about a model that a person named: it is in no line of that config. Errors
 * in the config itself keep their place.
 */
export function withoutFile(error: unknown): unknown {
  if (!isShallotError(error) || error.at === undefined || error.at.line !== undefined) return error;
  const { code, message } = error;
  return new ShallotError(code, { message, cause: error });
}
