import { isShallotError, type ErrorCode } from '@shallot/core';

import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import { statusOf } from '../terminal/status-of.ts';
import { resumeHint } from './answer-hints.ts';
import type { AgentCommandOptions } from './config-loading.ts';

/** Whether a session was refused because of a run that has not come to its end. */
export function isUnsettled(error: unknown): boolean {
  return isShallotError(error, 'SESSION_INTERRUPTED') || isShallotError(error, 'SESSION_UNFINISHED');
}

/** The session whose run an error has cut short, if it can be taken up: two failures end a run for good. */
export function resumableSession(error: unknown): string | undefined {
  if (isShallotError(error, 'TOOL_FAILED') || isShallotError(error, 'OUTPUT_INVALID')) return undefined;
  return isShallotError(error) ? error.result?.sessionId : undefined;
}

/** The error of a run that failed on the way, with the command or key word that takes the run up. */
export function withWayOn(error: unknown, goOn: (sessionId: string) => string): unknown {
  const sessionId = resumableSession(error);
  if (sessionId === undefined) return error;
  return new CommandFailure(statusOf(error), { cause: error, hint: `Continue it: ${goOn(sessionId)}` });
}

/** A session that has an unfinished run takes no other: there are two ways out, and they are said with the error. */
export function withWaysOut(error: unknown, sessionId: string, options: AgentCommandOptions): unknown {
  if (!isUnsettled(error)) return error;
  const waits = isShallotError(error, 'SESSION_INTERRUPTED');
  return new CommandFailure(waits ? exitStatus.waiting : exitStatus.failed, {
    cause: error,
    hint: `Continue it: ${resumeHint(sessionId, options)}\nOr abandon it: run with --abandon`,
  });
}

/** A resume that was refused because something of the run is gone: there is a way out without it. */
export function withGivingUp(error: unknown, sessionId: string, options: AgentCommandOptions): unknown {
  const isGone = isShallotError(error) && error.result === undefined && goneErrors.has(error.code);
  if (!isGone) return error;
  const hint = `Or abandon the run: ${resumeHint(sessionId, options)} --abandon`;
  return new CommandFailure(statusOf(error), { cause: error, hint });
}

const goneErrors: ReadonlySet<ErrorCode> = new Set(['PLUGIN_GONE', 'TOOL_GONE', 'STATE_VERSION']);
