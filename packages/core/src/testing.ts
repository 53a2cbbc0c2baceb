import { ShallotError } from './base/errors.ts';

/**
 * The names that this entry used to export: without them, an import of one would fail before the error below explains
 * why.
 */
export const {
  assembleContent,
  assertValidRequest,
  collectEvents,
  eventLines,
  fileChecks,
  hookTrace,
  modelChecks,
  pluginChecks,
  rateLimited,
  registerChecks,
  scriptedModel,
  storeChecks,
  testFiles,
  testModel,
  testPlugin,
  testStore,
  traceHooks,
}: Readonly<Record<string, never>> = refuse();

function refuse(): never {
  throw new ShallotError('ENTRY_MOVED', {
    message:
      "@shallot/core/testing is a package of its own: run npm install --save-dev @shallot/testing, and in the import write from '@shallot/testing' in place of from '@shallot/core/testing'.",
  });
}
