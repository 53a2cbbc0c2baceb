import { isShallotError } from '@shallot/core';

import { resumeHint } from './answer-hints.ts';
import { CommandFailure } from './command-failure.ts';
import { conduct, type ConductOptions } from './conduct.ts';
import { exitStatus } from './exit-status.ts';
import { readQuestion } from './read-question.ts';
import type { Screen } from './screen.ts';

export interface RunCommandOptions extends ConductOptions {
  readonly session?: string;
  readonly abandon?: boolean;
}

/** `shallot run`: asks the configured agent one question and shows what happens. Gives the exit status. */
export async function runCommand(
  question: string | undefined,
  options: RunCommandOptions,
  screen: Screen,
): Promise<number> {
  const { session, abandon } = options;
  const conducted = conduct(
    options,
    screen,
    (signal) => readQuestion(question, screen.io.stdin, signal),
    async (input, { opened, signal }) =>
      opened.agent.stream(input, {
        signal,
        ...(session !== undefined && { session }),
        ...(abandon && { abandon }),
      }),
  );
  return conducted.catch((error: unknown) => {
    throw session === undefined ? error : withHint(error, session, options);
  });
}

/** A session that has an unfinished run takes no other: there are two ways out. */
function withHint(error: unknown, session: string, options: RunCommandOptions): unknown {
  const waits = isShallotError(error, 'SESSION_INTERRUPTED');
  if (!waits && !isShallotError(error, 'SESSION_UNFINISHED')) return error;
  return new CommandFailure(waits ? exitStatus.waiting : exitStatus.failed, {
    cause: error,
    hint: `Go on with it: ${resumeHint(session, options)}\nOr give it up: run with --abandon`,
  });
}
