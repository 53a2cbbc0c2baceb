import assert from 'node:assert/strict';

import type { ErrorCode } from '../base/error-codes.ts';
import { isShallotError } from '../base/errors.ts';

/** One thing that every implementation of a contract must do. */
export interface ConformanceCheck {
  readonly name: string;
  /** Rejects when the implementation does not. */
  run(): Promise<void>;
}

/** What of a test runner a suite needs: vitest's `describe` and `it`, or those of `node:test`. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

/** Makes each check a test of its own. Without a runner, vitest is imported: only then must it be installed. */
export async function registerChecks(
  title: string,
  checks: readonly ConformanceCheck[],
  runner?: TestRunner,
): Promise<void> {
  const test = runner ?? (await import('vitest'));
  test.describe(title, () => {
    for (const check of checks) test.it(check.name, () => check.run());
  });
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
