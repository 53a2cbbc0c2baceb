import { isShallotError, type ErrorCode } from '@shallot/core';

import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
import { statusOf } from '../terminal/status-of.ts';
import { resumeHint } from './answer-hints.ts';
import type { AgentCommandOptions } from './config-loading.ts';

/** Returns true if a session was rejected because its last run is unfinished. */
export function isUnsettled(error: unknown): boolean {
  return isShallotError(error, 'SESSION_INTERRUPTED') || isShallotError(error, 'SESSION_UNFINISHED');
}

/** Returns the session of a run that an error ended and that can be resumed; undefined for all other errors. */
export function resumableSession(error: unknown): string | undefined {
  if (isShallotError(error, 'TOOL_FAILED') || isShallotError(error, 'OUTPUT_INVALID')) return undefined;
  return isShallotError(error) ? error.result?.sessionId : undefined;
}

/** Adds to the error of a resumable run how to continue it. Returns other errors unchanged. */
export function withWayOn(error: unknown, goOn: (sessionId: string) => string): unknown {
  const sessionId = resumableSession(error);
  if (sessionId === undefined) return error;
  return new CommandFailure(statusOf(error), { cause: error, hint: `Continue it: ${goOn(sessionId)}` });
}

/**
 * Adds the two ways out to the error of a session with an unfinished run: resume it, or abandon it. Returns other errors
 * unchanged.
 */
export function withWaysOut(
  error: unknown,
  sessionId: string,
  options: AgentCommandOptions,
  screen: Screen,
): unknown {
  if (!isUnsettled(error)) return error;
  const waits = isShallotError(error, 'SESSION_INTERRUPTED');
  return new CommandFailure(waits ? exitStatus.waiting : exitStatus.failed, {
    cause: error,
    hint: `Continue it: ${resumeHint(sessionId, options, screen)}\nOr abandon it: run with --abandon`,
  });
}

/**
 * Adds how to abandon the run to the error of a resume that cannot start because a part or version does not fit. Returns
 * other errors unchanged.
 */
export function withGivingUp(
  error: unknown,
  sessionId: string,
  options: AgentCommandOptions,
  screen: Screen,
): unknown {
  const isGone = isShallotError(error) && error.result === undefined && goneErrors.has(error.code);
  if (!isGone) return error;
  const hint = `Or abandon the run: ${resumeHint(sessionId, options, screen)} --abandon`;
  return new CommandFailure(statusOf(error), { cause: error, hint });
}

const goneErrors: ReadonlySet<ErrorCode> = new Set([
  'PLUGIN_GONE',
  'TOOL_GONE',
  'MODEL_GONE',
  'STATE_VERSION',
]);
