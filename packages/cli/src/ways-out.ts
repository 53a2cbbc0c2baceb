import { isShallotError } from '@shallot/core';

import { resumeHint } from './answer-hints.ts';
import { CommandFailure } from './command-failure.ts';
import { exitStatus } from './exit-status.ts';
import type { AgentCommandOptions } from './with-agent.ts';

/** Whether a session was refused because of a run that has not come to its end. */
export function isUnsettled(error: unknown): boolean {
  return isShallotError(error, 'SESSION_INTERRUPTED') || isShallotError(error, 'SESSION_UNFINISHED');
}

/** A session that has an unfinished run takes no other: there are two ways out, and they are said with the error. */
export function withWaysOut(error: unknown, session: string, options: AgentCommandOptions): unknown {
  if (!isUnsettled(error)) return error;
  const waits = isShallotError(error, 'SESSION_INTERRUPTED');
  return new CommandFailure(waits ? exitStatus.waiting : exitStatus.failed, {
    cause: error,
    hint: `Go on with it: ${resumeHint(session, options)}\nOr give it up: run with --abandon`,
  });
}
