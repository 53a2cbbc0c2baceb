import { conduct, type ConductOptions } from './conduct.ts';
import { readQuestion } from './read-question.ts';
import type { Screen } from './screen.ts';
import { withWaysOut } from './ways-out.ts';

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
    throw session === undefined ? error : withWaysOut(error, session, options);
  });
}
