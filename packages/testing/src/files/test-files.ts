import type { Files } from '@shallot/core/files';

import { registerChecks, type ConformanceCheck, type TestRunner } from '../conformance.ts';
import { contentChecks } from './content-checks.ts';
import { pathChecks } from './path-checks.ts';
import { revisionChecks } from './revision-checks.ts';

/** Creates a new, empty `Files` with each call. */
export type CreateFiles = () => Files | Promise<Files>;

/** Options of the suite for files. */
export interface TestFilesOptions {
  /** The size limit of the files that `create` returns, in bytes. Default: none, and the limit is not tested. */
  readonly maxBytes?: number;
}

/** Registers the conformance suite of `Files`: `await testFiles(create)` at the top of a test file. */
export function testFiles(
  create: CreateFiles,
  options: TestFilesOptions = {},
  runner?: TestRunner,
): Promise<void> {
  return registerChecks('files', fileChecks(create, options), runner);
}

/** Returns the checks of the `Files` suite, for use without `testFiles`. */
export function fileChecks(create: CreateFiles, { maxBytes }: TestFilesOptions = {}): ConformanceCheck[] {
  const checks = [...contentChecks(maxBytes), ...revisionChecks(), ...pathChecks()];
  return checks.map(({ name, check }) => ({ name, run: async () => check(await create()) }));
}
