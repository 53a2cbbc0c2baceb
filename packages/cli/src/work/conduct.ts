import { isShallotError, type RunStream } from '@shallot/core';
import { pendingInterrupts } from '@shallot/core/work';

import { resumeHint } from '../asking/answer-hints.ts';
import { answerPending } from '../asking/answer-pending.ts';
import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { terminalAsker } from '../asking/terminal-asker.ts';
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

/** The options of commands that run an agent. */
export interface ConductOptions extends AgentCommandOptions, TraceChoice {
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** Shows the model's reasoning. Default: on a terminal. */
  readonly reasoning?: boolean;
  /** False: questions stay open even if a person could be asked. */
  readonly ask?: boolean;
}

/** The context in which a command starts its run. */
export interface Beginning {
  readonly opened: OpenedAgent;
  readonly signal: AbortSignal;
  /** True if a person can be asked. */
  readonly asks: boolean;
  /** Asks the open questions of a session. Resolves to true if all are answered. */
  readonly answerPending: (sessionId: string) => Promise<boolean>;
}

/**
 * Runs an agent and shows the progress; asks the run's questions if a person can answer, and continues until none is
 * open. Returns the exit status. `prepare` is called before the agent is loaded; `begin` starts the run, or returns the
 * session whose questions stay open.
 *
 * A signal, or a stdout that can no longer be written, aborts the run through its own signal, so that hooks, including
 * `afterAgent`, and the store see a proper end.
 */
export async function conduct<T>(
  options: ConductOptions,
  screen: Screen,
  prepare: (signal: AbortSignal) => Promise<T>,
  begin: (prepared: T, beginning: Beginning) => Promise<RunStream | { readonly waiting: string }>,
): Promise<number> {
  // Programs that read events answer questions by other means.
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
      asks &&
      answerPending(store, sessionId, {
        screen,
        signal,
        ask: terminalAsker(screen, signal),
        permissions: agent.permissions,
      });
    const ended = await screen.uncaught.orFailed(signal, async (running) => {
      const begun = await begin(prepared, { opened, signal: running, asks, answerPending: answer });
      return 'waiting' in begun ? begun : followRun(begun, { agent, renderer, signal: running, answer });
    });
    if ('outcome' in ended && ended.outcome !== 'interrupted') return statusOfResult(ended);
    const waiting = 'waiting' in ended ? ended.waiting : ended.sessionId;
    if (!options.json)
      await noteWaiting(waiting, await pendingInterrupts(store, waiting), { agent, options }, screen);
    // Ctrl-C between two prompts counts like one within a prompt.
    const left = !signal.aborted || stop.status === signalStatus('SIGINT');
    return left ? exitStatus.waiting : stopped();
  };

  try {
    const prepared = await prepare(signal);
    return await withAgent(options, { screen, signal, showsRuns: true }, (opened) => run(prepared, opened));
  } catch (error) {
    const cause = error instanceof CommandFailure ? (error.cause ?? error) : error;
    const isStopped = cause === signal.reason || isShallotError(cause, 'RUN_ABORTED');
    // A program reads the error that is thrown here from the last line, so it is not rendered twice.
    if (isStopped || !options.json) await renderer.failed(cause);
    const goOn = (sessionId: string): string => resumeHint(sessionId, options, screen);
    if (!isStopped) throw options.json ? error : withWayOn(error, goOn);
    if (stop.status !== undefined) {
      const sessionId = options.json ? undefined : resumableSession(cause);
      screen.note(sessionId === undefined ? 'aborted' : `aborted\nContinue it: ${goOn(sessionId)}`);
    }
    return stopped();
  } finally {
    stop.end();
  }
}
