import { isShallotError } from '@shallot/core';

import { otherError } from './semconv.ts';

/** `error.type` of something thrown: a code of few possible ones, never a message. */
export function errorType(error: unknown): string {
  if (isShallotError(error)) return error.code;
  if (!(error instanceof Error)) return otherError;
  // A system error has the better name in its code: ECONNRESET says more than Error.
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code !== undefined && /^[A-Z][A-Z0-9_]{2,60}$/.test(code)) return code;
  return error.name === 'Error' ? error.constructor.name : error.name;
}
