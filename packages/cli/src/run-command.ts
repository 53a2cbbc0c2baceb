import { isShallotError, type AgentStream } from '@shallot/core';

import { CommandFailure } from './command-failure.ts';
import { exitStatus, signalStatus } from './exit-status.ts';
import { openAgent, type AgentCommandOptions } from './open-agent.ts';
import { readQuestion } from './read-question.ts';
import { jsonRenderer } from './render-json.ts';
import { textRenderer } from './render-text.ts';
import type { Renderer } from './renderer.ts';
import type { Screen } from './screen.ts';
import { watchStopSignals } from './stop-signals.ts';

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
  using stop = watchStopSignals(() => screen.note('Stopping … (once more ends it at once)'));
  const signal = AbortSignal.any([stop.signal, screen.broken]);
  try {
    const input = await readQuestion(question, screen.io.stdin, signal);
    return await runOnce(input, options, { screen, renderer, signal });
  } catch (error) {
    const cause = error instanceof CommandFailure ? (error.cause ?? error) : error;
    await renderer.failed(cause);
    if (cause !== signal.reason && !isShallotError(cause, 'RUN_ABORTED')) throw error;
    if (stop.status === undefined) return signalStatus('SIGPIPE');
    screen.note('aborted');
    return stop.status;
  }
}

async function runOnce(
  input: string,
  options: RunCommandOptions,
  { screen, renderer, signal }: { screen: Screen; renderer: Renderer; signal: AbortSignal },
): Promise<number> {
  const { agent } = await openAgent(options, screen, signal);
  try {
    const { session, abandon } = options;
    const stream = agent.stream(input, { signal, ...(session && { session }), ...(abandon && { abandon }) });
    return await follow(stream, renderer);
  } finally {
    await agent.close();
  }
}

/** Shows a run to its end. Gives the exit status of a run that did not fail; rejects with what made it fail. */
export async function follow(stream: AgentStream, renderer: Renderer): Promise<number> {
  for await (const event of stream) await renderer.event(event);
  const result = await stream.result;
  await renderer.end(result);
  return result.outcome === 'interrupted' ? exitStatus.waiting : exitStatus.completed;
}
