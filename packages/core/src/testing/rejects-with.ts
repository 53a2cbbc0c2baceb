import assert from 'node:assert/strict';

import type { ErrorCode } from '../base/error-codes.ts';
import { isShallotError } from '../base/errors.ts';

/** Asserts that something rejects with one of our errors; gives its message. */
export async function rejectsWith(promise: Promise<unknown>, code: ErrorCode, what: string): Promise<string> {
  try {
    await promise;
  } catch (error) {
    assert.ok(isShallotError(error), `${what}: ${String(error)} is not a ShallotError`);
    assert.equal(error.code, code, `${what}: ${error.message}`);
    return error.message;
  }
  assert.fail(`${what}: it did not reject with ${code}`);
}
