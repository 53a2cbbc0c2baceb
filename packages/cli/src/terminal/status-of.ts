import { isShallotError, type ErrorCode, type RunResult, type ShallotError } from '@shallot/core';

import { exitStatus } from './exit-status.ts';

/** The codes of errors about wrong usage. If such an error has no result of a run, nothing was run or changed. */
const usageErrors: ReadonlySet<ErrorCode> = new Set([
  'USAGE_INVALID',
  'OPTION_INVALID',
  'PACKAGE_NAME',
  'PACKAGE_NOT_FOUND',
  'PACKAGE_INCOMPATIBLE',
  'PACKAGE_SYNTAX',
  'INTERRUPT_UNKNOWN',
  'INTERRUPT_ANSWER',
  'SESSION_NOT_FOUND',
  'SESSION_NOT_RESUMABLE',
  'PLUGIN_GONE',
  'TOOL_GONE',
  'MODEL_GONE',
  'RUN_OF_ANOTHER_AGENT',
  'STATE_VERSION',
]);

const shortReasons: ReadonlySet<RunResult['stopReason']> = new Set([
  'length',
  'content-filter',
  'max-steps',
  'limit',
]);

/** Returns the exit status for the result of a run that did not fail. */
export function statusOfResult({ outcome, stopReason }: RunResult): number {
  if (outcome === 'interrupted') return exitStatus.waiting;
  return shortReasons.has(stopReason) ? exitStatus.short : exitStatus.completed;
}

/** Returns the exit status for an error of a command. */
export function statusOf(error: unknown): number {
  if (!isShallotError(error)) return exitStatus.failed;
  if (error.code === 'SESSION_INTERRUPTED') return exitStatus.waiting;
  const isUsage = (usageErrors as ReadonlySet<string>).has(error.code) || isUnusableStore(error);
  return isUsage && error.result === undefined ? exitStatus.usage : exitStatus.failed;
}

/** Returns true for a store that fails at every attempt, because its path or its contents are wrong. */
function isUnusableStore({ code, transient }: ShallotError): boolean {
  return (code === 'STORE_FAILED' || code === 'STORE_DAMAGED') && !transient;
}
