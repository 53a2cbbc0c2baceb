import assert from 'node:assert/strict';

import { type ErrorCode, isShallotError } from '@shallot/core';
import { messageOf } from '@shallot/core/plugin';

/** One requirement for every implementation of a contract. */
export interface ConformanceCheck {
  readonly name: string;
  /** Rejects if the implementation does not meet the requirement. */
  run(): Promise<void>;
}

/** The functions of a test runner that a suite needs: `describe` and `it` of vitest or `node:test`. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>, timeoutMs?: number): unknown;
}

/** The time limit of a check, in milliseconds. Some checks start processes, which takes seconds on a busy machine. */
const timeoutMs = 60_000;

/** Registers each check as a test. Default runner: vitest, which must then be installed. */
export async function registerChecks(
  title: string,
  checks: readonly ConformanceCheck[],
  runner?: TestRunner,
): Promise<void> {
  const test = runner ?? (await import('vitest'));
  test.describe(title, () => {
    for (const check of checks) test.it(check.name, () => check.run(), timeoutMs);
  });
}

/** Returns a check whose failure also gives advice. @throws if there is no advice */
export function advised(check: ConformanceCheck, advice: string | undefined): ConformanceCheck {
  if (advice === undefined) throw new Error(`The check "${check.name}" has no advice.`);
  return {
    name: check.name,
    async run() {
      try {
        await check.run();
      } catch (error) {
        throw new Error(`${messageOf(error)}\nWhat to do: ${advice}`, { cause: error });
      }
    },
  };
}

/** Asserts that something rejects with a `ShallotError`. Returns its message. */
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
