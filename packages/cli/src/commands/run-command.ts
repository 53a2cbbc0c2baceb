import { withWaysOut } from '../asking/ways-out.ts';
import { readQuestion } from '../terminal/read-question.ts';
import type { Screen } from '../terminal/screen.ts';
import { conduct, type ConductOptions } from '../work/conduct.ts';

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
  const { session: sessionId, abandon } = options;
  const conducted = conduct(
    options,
    screen,
    (signal) => readQuestion(question, screen.io, signal),
    async (input, { opened, signal }) =>
      opened.agent.stream(input, {
        signal,
        ...(sessionId !== undefined && { sessionId }),
        ...(abandon && { abandon }),
      }),
  );
  return conducted.catch((error: unknown) => {
    throw sessionId === undefined ? error : withWaysOut(error, sessionId, options);
  });
}
