import type { AgentEvent } from '@shallot/core';

import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { noteWarning } from '../rendering/note-failure.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import { readCount } from '../terminal/read-count.ts';
import type { Screen } from '../terminal/screen.ts';
import { watchStopSignals } from '../terminal/stop-signals.ts';
import { visibleLine } from '../terminal/visible.ts';
import { requireShared } from '../work/require-shared.ts';
import { serveHealth } from '../work/serve-health.ts';
import { withAgent } from '../work/with-agent.ts';

export interface WorkerCommandOptions extends AgentCommandOptions {
  /** `concurrency`, `interval` and `stopTimeout` are numbers, still as they were typed. */
  readonly concurrency?: string;
  readonly interval?: string;
  readonly stopTimeout?: string;
  readonly versions?: string;
  readonly owner?: string;
  readonly quiet?: boolean;
  /** A port, or host:port, as it was typed. */
  readonly health?: string;
}

/**
 * `shallot worker`: executes submitted and resumable runs of the store until it is stopped; runs in progress are then
 * handed back after their current step. A second signal ends the process at once. Returns the exit status.
 */
export async function workerCommand(options: WorkerCommandOptions, screen: Screen): Promise<number> {
  const { owner } = options;
  const terms = {
    versions: readVersions(options.versions),
    ...(owner === undefined ? {} : { filter: { owner: readOwner(owner) } }),
    concurrency: readCount('--concurrency', options.concurrency ?? '8'),
    intervalMs: readCount('--interval', options.interval ?? '5') * 1000,
    stopTimeoutMs: readCount('--stop-timeout', options.stopTimeout ?? '30') * 1000,
  };
  const say = (text: string): void => {
    if (options.quiet !== true) screen.note(text);
  };
  await using health = options.health === undefined ? undefined : await serveHealth(options.health);
  const stop = watchStopSignals(() =>
    say('Stopping: runs are handed back after their step … (signal again to end now)'),
  );
  // A stop during the start aborts the start; later, the worker ends by itself.
  const starting = new AbortController();
  stop.signal.addEventListener('abort', () => starting.abort(), { once: true });
  try {
    await withAgent(options, { screen, signal: starting.signal }, async ({ agent, store, config }) => {
      requireShared(store, 'shallot worker', config.merged.store?.locate());
      const working = screen.uncaught.orFailed(stop.signal, (signal) =>
        agent.work({
          ...terms,
          signal,
          onHealth: (now) => health?.set(now),
          onEvent: (sessionId, event) =>
            show(sessionId, event, { ...options, isStopping: signal.aborted }, screen),
        }),
      );
      say(`Working on ${terms.concurrency} runs at once.`);
      await working;
    });
  } catch (error) {
    if (!stop.signal.aborted || error !== starting.signal.reason) throw error;
  } finally {
    stop.end();
  }
  return exitStatus.completed;
}

function readVersions(text = 'any'): 'any' | 'same' {
  if (text === 'any' || text === 'same') return text;
  throw new CommandFailure(
    exitStatus.usage,
    `--versions is "${visibleLine(text)}"; write any, or same for the runs of this version of the agent alone.`,
  );
}

function readOwner(text: string): string {
  if (text !== '') return text;
  throw new CommandFailure(exitStatus.usage, '--owner is empty; write the owner of the sessions to work on.');
}

function show(
  sessionId: string,
  event: AgentEvent,
  { quiet = false, isStopping }: WorkerCommandOptions & { readonly isStopping: boolean },
  screen: Screen,
): void {
  const session = visibleLine(sessionId);
  if (event.type === 'warning') {
    noteWarning(`Session ${session}: ${event.code} ${event.message}`, screen);
  } else if (event.type === 'run-start' && !quiet) {
    screen.note(`${event.resumed ? 'resumed' : 'began'} ${session}`);
  } else if (event.type === 'run-end' && !quiet) {
    const { outcome } = event.result;
    screen.note(`${isStopping && outcome === 'aborted' ? 'handed back' : outcome} ${session}`);
  }
}
