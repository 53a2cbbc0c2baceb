import { randomUUID } from 'node:crypto';

import type { Agent } from '@shallot/core';

import { withWaysOut } from '../asking/ways-out.ts';
import { jsonRenderer } from '../rendering/render-json.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import { readQuestion } from '../terminal/read-question.ts';
import type { Screen } from '../terminal/screen.ts';
import { chooseMode } from '../work/choose-mode.ts';
import { conduct, type ConductOptions } from '../work/conduct.ts';
import { sessionToUse } from '../work/find-session.ts';
import { notesHere } from '../work/notes-here.ts';
import { sendLines } from '../work/send-lines.ts';
import { submitQuestion } from '../work/submit-question.ts';

export interface RunCommandOptions extends ConductOptions {
  readonly session?: string;
  readonly abandon?: boolean;
  /** The mode of the session's permissions. */
  readonly mode?: string;
  /** Submits the run for a worker instead. */
  readonly detach?: boolean;
  readonly metadata?: string;
  readonly stream?: boolean;
  /** Sends the lines of stdin to the run. */
  readonly inputStream?: boolean;
}

/** `shallot run`: runs the configured agent on one question, and shows the progress. Returns the exit status. */
export async function runCommand(
  question: string | undefined,
  options: RunCommandOptions,
  screen: Screen,
): Promise<number> {
  const { session: sessionId } = options;
  return begin(question, options, screen).catch((error: unknown) => {
    throw sessionId === undefined ? error : withWaysOut(error, sessionId, options, screen);
  });
}

async function begin(
  question: string | undefined,
  options: RunCommandOptions,
  screen: Screen,
): Promise<number> {
  const { session: sessionId, abandon, detach, metadata, mode, stream, inputStream } = options;
  if (inputStream) refuseWithInput(question, options);
  if (detach && mode !== undefined)
    throw new CommandFailure(exitStatus.usage, '--mode needs a run in this process, and --detach has none.');
  if (detach) {
    await submitQuestion(question, options, screen);
    return exitStatus.completed;
  }
  if (metadata !== undefined) throw new CommandFailure(exitStatus.usage, '--metadata needs --detach.');
  if (stream) throw new CommandFailure(exitStatus.usage, '--stream needs --detach.');
  let endInput = (): void => undefined;
  return conduct(
    options,
    screen,
    (signal) => readQuestion(question, screen.io, signal),
    async (input, { opened: { agent, store }, signal }) => {
      const named = sessionId === undefined ? undefined : await sessionToUse(store, sessionId, screen);
      // A mode and messages belong to a session, so a new session needs its id before the run begins.
      const used = named ?? (mode === undefined && !inputStream ? undefined : `session_${randomUUID()}`);
      if (used !== undefined && mode !== undefined) chooseMode(agent, used, mode);
      const running = agent.stream(input, {
        signal,
        ...notesHere(screen, input),
        ...(used !== undefined && { sessionId: used }),
        ...(abandon && { abandon }),
      });
      if (inputStream && used !== undefined) endInput = sendInput(agent, used, screen);
      return running;
    },
  ).finally(() => endInput());
}

/** Sends the lines of stdin to the run. A refused line is reported as a warning among the events. */
function sendInput(agent: Agent, sessionId: string, screen: Screen): () => void {
  const renderer = jsonRenderer(screen);
  return sendLines(screen.io.stdin, {
    agent,
    sessionId,
    onRefused: ({ line, code, message }) =>
      void renderer.event({
        type: 'warning',
        code,
        message: `Line ${line} of stdin was not sent: ${message}`,
      }),
  });
}

/** Refuses options that `--input-stream` cannot be combined with. @throws a usage failure */
function refuseWithInput(question: string | undefined, { json, detach }: RunCommandOptions): void {
  if (json !== true || detach === true)
    throw new CommandFailure(exitStatus.usage, '--input-stream needs --json, and a run in this process.');
  if (question === undefined || question === '-')
    throw new CommandFailure(
      exitStatus.usage,
      'With --input-stream, stdin has the messages to the run. Pass the question as an argument.',
    );
}
