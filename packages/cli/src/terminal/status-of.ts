import { isShallotError, type ErrorCode, type RunResult } from '@shallot/core';

import { exitStatus } from './exit-status.ts';

/** Errors of wrong usage. Without a run's result, nothing was run or changed. */
const usageErrors: ReadonlySet<ErrorCode> = new Set([
  'OPTION_INVALID',
  'PACKAGE_NAME',
  'PACKAGE_NOT_FOUND',
  'PACKAGE_UNFIT',
  'INTERRUPT_UNKNOWN',
  'INTERRUPT_ANSWER',
  'SESSION_NOT_FOUND',
  'SESSION_NOT_RESUMABLE',
  'PLUGIN_GONE',
  'TOOL_GONE',
  'MODEL_GONE',
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
  const isUsage = error.result === undefined && (usageErrors as ReadonlySet<string>).has(error.code);
  return isUsage ? exitStatus.usage : exitStatus.failed;
}
