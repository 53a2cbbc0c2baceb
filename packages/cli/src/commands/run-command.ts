import { withWaysOut } from '../asking/ways-out.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import { readQuestion } from '../terminal/read-question.ts';
import type { Screen } from '../terminal/screen.ts';
import { conduct, type ConductOptions } from '../work/conduct.ts';
import { sessionToUse } from '../work/find-session.ts';
import { notesHere } from '../work/notes-here.ts';
import { submitQuestion } from '../work/submit-question.ts';

export interface RunCommandOptions extends ConductOptions {
  readonly session?: string;
  readonly abandon?: boolean;
  /** Submits the run for a worker instead. */
  readonly detach?: boolean;
  readonly metadata?: string;
  readonly stream?: boolean;
}

/** `shallot run`: runs the configured agent on one question, and shows the progress. Returns the exit status. */
export async function runCommand(
  question: string | undefined,
  options: RunCommandOptions,
  screen: Screen,
): Promise<number> {
  const { session: sessionId } = options;
  return begin(question, options, screen).catch((error: unknown) => {
    throw sessionId === undefined ? error : withWaysOut(error, sessionId, options);
  });
}

async function begin(
  question: string | undefined,
  options: RunCommandOptions,
  screen: Screen,
): Promise<number> {
  const { session: sessionId, abandon, detach, metadata, stream } = options;
  if (detach) {
    await submitQuestion(question, options, screen);
    return exitStatus.completed;
  }
  if (metadata !== undefined) throw new CommandFailure(exitStatus.usage, '--metadata needs --detach.');
  if (stream) throw new CommandFailure(exitStatus.usage, '--stream needs --detach.');
  return conduct(
    options,
    screen,
    (signal) => readQuestion(question, screen.io, signal),
    async (input, { opened, signal }) =>
      opened.agent.stream(input, {
        signal,
        ...notesHere(screen, input),
        ...(sessionId !== undefined && { sessionId: await sessionToUse(opened.store, sessionId) }),
        ...(abandon && { abandon }),
      }),
  );
}
