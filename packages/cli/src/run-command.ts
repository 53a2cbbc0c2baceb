import { isShallotError, type RunStream } from '@shallot/core';

import { CommandFailure } from './command-failure.ts';
import { exitStatus, signalStatus } from './exit-status.ts';
import { readQuestion } from './read-question.ts';
import { jsonRenderer } from './render-json.ts';
import { textRenderer } from './render-text.ts';
import type { Renderer } from './renderer.ts';
import type { Screen } from './screen.ts';
import { watchStopSignals } from './stop-signals.ts';
import { withAgent, type AgentCommandOptions } from './with-agent.ts';

export interface RunCommandOptions extends AgentCommandOptions {
  readonly session?: string;
  readonly abandon?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/**
 * `shallot run`: asks the configured agent one question and shows what happens. Gives the exit status.
 * A signal, and a stdout that cannot be written any more, abort the run through its own signal: hooks, `afterAgent`
 * included, and the store see a proper end.
 */
export async function runCommand(
  question: string | undefined,
  options: RunCommandOptions,
  screen: Screen,
): Promise<number> {
  const renderer = options.json
    ? jsonRenderer(screen)
    : textRenderer(screen, { quiet: options.quiet ?? false });
  const stop = watchStopSignals(() => screen.note('Stopping … (once more ends it at once)'));
  const signal = AbortSignal.any([stop.signal, screen.broken]);
  const { session, abandon } = options;
  const runOptions = { signal, ...(session !== undefined && { session }), ...(abandon && { abandon }) };
  try {
    const input = await readQuestion(question, screen.io.stdin, signal);
    return await withAgent(options, { screen, signal }, ({ agent }) =>
      follow(agent.stream(input, runOptions), renderer),
    );
  } catch (error) {
    const cause = error instanceof CommandFailure ? (error.cause ?? error) : error;
    await renderer.failed(cause);
    if (cause !== signal.reason && !isShallotError(cause, 'RUN_ABORTED')) throw error;
    if (stop.status === undefined) return signalStatus('SIGPIPE');
    screen.note('aborted');
    return stop.status;
  } finally {
    stop.end();
  }
}

/** Shows a run to its end. Gives the exit status of a run that did not fail; rejects with what made it fail. */
async function follow(stream: RunStream, renderer: Renderer): Promise<number> {
  for await (const event of stream) await renderer.event(event);
  const result = await stream.result;
  await renderer.end(result);
  return result.outcome === 'interrupted' ? exitStatus.waiting : exitStatus.completed;
}
