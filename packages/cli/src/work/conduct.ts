import { isShallotError, pendingInterrupts, type RunStream } from '@shallot/core';

import { resumeHint } from '../asking/answer-hints.ts';
import { answerPending } from '../asking/answer-pending.ts';
import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { resumableSession, withWayOn } from '../asking/ways-out.ts';
import { jsonRenderer } from '../rendering/render-json.ts';
import { textRenderer } from '../rendering/render-text.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus, signalStatus } from '../terminal/exit-status.ts';
import { canAsk } from '../terminal/prompts.ts';
import type { Screen } from '../terminal/screen.ts';
import { statusOfResult } from '../terminal/status-of.ts';
import { watchStopSignals } from '../terminal/stop-signals.ts';
import { followRun } from './follow-run.ts';
import { noteWaiting } from './note-waiting.ts';
import type { TraceChoice } from './trace-runs.ts';
import { withAgent, type OpenedAgent } from './with-agent.ts';

/** What the commands take that let an agent run. */
export interface ConductOptions extends AgentCommandOptions, TraceChoice {
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** Whether the model's reasoning is shown; default: on a terminal. */
  readonly reasoning?: boolean;
  /** False: questions stay open even when somebody could be asked. */
  readonly ask?: boolean;
}

/** What a command does with the agent to begin with. */
export interface Beginning {
  readonly opened: OpenedAgent;
  readonly signal: AbortSignal;
  /** Whether somebody can be asked. */
  readonly asks: boolean;
  /** Asks what a session waits for. Whether all is answered. */
  readonly answerPending: (sessionId: string) => Promise<boolean>;
}

/**
 * Lets an agent run and shows what happens; asks what the run asks, if somebody is there, and goes on, until nothing is
 * open. Gives the exit status. `prepare` comes before the agent is loaded; `begin` starts the run, or gives the session
 * whose questions stay open.
 *
 * A signal, and a stdout that cannot be written any more, abort the run through its own signal: hooks, `afterAgent`
 * included, and the store see a proper end.
 */
export async function conduct<T>(
  options: ConductOptions,
  screen: Screen,
  prepare: (signal: AbortSignal) => Promise<T>,
  begin: (prepared: T, beginning: Beginning) => Promise<RunStream | { readonly waiting: string }>,
): Promise<number> {
  // Programs that read events answer by other means.
  const asks = options.ask !== false && !options.json && canAsk(screen.io);
  const renderer = options.json
    ? jsonRenderer(screen)
    : textRenderer(screen, { quiet: options.quiet ?? false, reasoning: options.reasoning, asks });
  const stop = watchStopSignals(() => screen.note('Stopping … (press again to end it now)'));
  const signal = AbortSignal.any([stop.signal, screen.broken]);

  const stopped = (): number => stop.status ?? signalStatus('SIGPIPE');

  const run = async (prepared: T, opened: OpenedAgent): Promise<number> => {
    const { agent, store } = opened;
    const answer = async (sessionId: string): Promise<boolean> =>
      asks && answerPending(store, sessionId, { screen, signal });
    const ended = await screen.uncaught.orFailed(signal, async (running) => {
      const begun = await begin(prepared, { opened, signal: running, asks, answerPending: answer });
      return 'waiting' in begun ? begun : followRun(begun, { agent, renderer, signal: running, answer });
    });
    if ('outcome' in ended && ended.outcome !== 'interrupted') return statusOfResult(ended);
    const waiting = 'waiting' in ended ? ended.waiting : ended.sessionId;
    if (!options.json) noteWaiting(waiting, await pendingInterrupts(store, waiting), options, screen);
    // Ctrl-C between two prompts is no other than in one.
    const left = !signal.aborted || stop.status === signalStatus('SIGINT');
    return left ? exitStatus.waiting : stopped();
  };

  try {
    const prepared = await prepare(signal);
    return await withAgent(options, { screen, signal }, (opened) => run(prepared, opened));
  } catch (error) {
    const cause = error instanceof CommandFailure ? (error.cause ?? error) : error;
    await renderer.failed(cause);
    const goOn = (sessionId: string): string => resumeHint(sessionId, options);
    if (cause !== signal.reason && !isShallotError(cause, 'RUN_ABORTED'))
      throw options.json ? error : withWayOn(error, goOn);
    if (stop.status !== undefined) {
      const sessionId = options.json ? undefined : resumableSession(cause);
      screen.note(sessionId === undefined ? 'aborted' : `aborted\nContinue it: ${goOn(sessionId)}`);
    }
    return stopped();
  } finally {
    stop.end();
  }
}
