import type { Files } from '../../files/files.ts';
import { registerChecks, type ConformanceCheck, type TestRunner } from '../conformance.ts';
import { contentChecks } from './content-checks.ts';
import { pathChecks } from './path-checks.ts';
import { revisionChecks } from './revision-checks.ts';

/** Makes files of which none is there yet, each time others. */
export type CreateFiles = () => Files | Promise<Files>;

export interface TestFilesOptions {
  /** The size limit of what `create` gives, in bytes. Without it the limit is not tested. */
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

/** The suite's single checks. */
export function fileChecks(create: CreateFiles, { maxBytes }: TestFilesOptions = {}): ConformanceCheck[] {
  const checks = [...contentChecks(maxBytes), ...revisionChecks(), ...pathChecks()];
  return checks.map(({ name, check }) => ({ name, run: async () => check(await create()) }));
}
