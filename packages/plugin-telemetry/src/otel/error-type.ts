import { isShallotError } from '@shallot/core';

import { otherError } from './semconv.ts';

/** Returns `error.type` for a thrown value: a code with few possible values, never a message. */
export function errorType(error: unknown): string {
  if (isShallotError(error)) return error.code;
  if (!(error instanceof Error)) return otherError;
  // The code of a system error says more than its name: ECONNRESET rather than Error.
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code !== undefined && /^[A-Z][A-Z0-9_]{2,60}$/.test(code)) return code;
  return error.name === 'Error' ? error.constructor.name : error.name;
}
