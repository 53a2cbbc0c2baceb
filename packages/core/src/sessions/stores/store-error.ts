import { isShallotError, ShallotError } from '../../base/errors.ts';
import { messageOf } from '../../base/thrown.ts';

/** Returns a store's error as a `ShallotError`. */
export function storeError(sessionId: string, what: 'read' | 'kept' | 'deleted', error: unknown): unknown {
  if (isShallotError(error)) return error;
  const message = `Session "${sessionId}" could not be ${what}: ${messageOf(error)}`;
  return new ShallotError('STORE_FAILED', { message, cause: error });
}
