import assert from 'node:assert/strict';

import { isShallotError, type ErrorCode } from '../errors.ts';
import type { ConformanceCheck } from './conformance.ts';
import type { CreateStore, StoreSubject } from './store-subject.ts';

/** A check that gets a store of its own, which is closed after it. */
export function storeCheck(
  create: CreateStore,
  name: string,
  check: (subject: StoreSubject) => Promise<void>,
): ConformanceCheck {
  return {
    name,
    async run() {
      const subject = await create();
      try {
        await check(subject);
      } finally {
        await subject.store.close?.();
      }
    },
  };
}

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
