import { advised, registerChecks, type ConformanceCheck, type TestRunner } from '../conformance.ts';
import { adviceFor } from './advice.ts';
import { childChecks } from './child-checks.ts';
import { claimChecks } from './claim-checks.ts';
import { commitChecks } from './commit-checks.ts';
import { deletionChecks } from './deletion-checks.ts';
import { filterChecks } from './filter-checks.ts';
import { inboxChecks } from './inbox-checks.ts';
import { listChecks } from './list-checks.ts';
import { modelCheck } from './model-check.ts';
import { processChecks } from './process-checks.ts';
import { stopChecks } from './stop-checks.ts';
import type { CreateStore } from './store-subject.ts';
import { takeChecks } from './take-checks.ts';
import { workerChecks } from './worker-checks.ts';

/**
 * Registers the conformance suite of a `Store`: `await testStore(create)` at the top of a test file. Requires the
 * package `fast-check`.
 */
export function testStore(create: CreateStore, runner?: TestRunner): Promise<void> {
  return registerChecks('a store', storeChecks(create), runner);
}

/** Returns the checks of the `Store` suite, for use without `testStore`. */
export function storeChecks(create: CreateStore): ConformanceCheck[] {
  const checks = [
    ...commitChecks(create),
    ...deletionChecks(create),
    ...childChecks(create),
    ...claimChecks(create),
    ...listChecks(create),
    ...filterChecks(create),
    ...inboxChecks(create),
    ...workerChecks(create),
    ...stopChecks(create),
    ...takeChecks(create),
    modelCheck(create),
    ...processChecks(create),
  ];
  return checks.map((check) => advised(check, adviceFor(check.name)));
}
