import type { Agent } from '@shallot/core';
import { loadAgent, type LoadedAgent, type LoadedConfig } from '@shallot/core/config';
import type { Store } from '@shallot/core/store';

import { configLoading, type AgentCommandOptions } from '../asking/config-loading.ts';
import { logLines } from '../rendering/log-lines.ts';
import { noteWarning } from '../rendering/note-failure.ts';
import { WorkLine } from '../rendering/work-line.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import { rejectOnAbort } from '../terminal/read-question.ts';
import type { Screen } from '../terminal/screen.ts';
import { stopTime } from '../terminal/stop-time.ts';
import { sessionDatabase } from './session-database.ts';
import { traceRuns, type TraceChoice } from './trace-runs.ts';

export interface OpenedAgent {
  readonly agent: Agent;
  /** Where its sessions are kept. */
  readonly store: Store;
  /** The absolute path of the config file. */
  readonly path: string;
  /** That of the `.env` beside it that was read, if there is one. */
  readonly envFile: string | undefined;
  /** The config that it was made from. */
  readonly config: LoadedConfig;
  /** Reads the config anew, for the agent to use from now on. Rejects if it does not load: this one is used on then. */
  readonly reload: () => Promise<OpenedAgent>;
}

/** What an agent is used in. */
interface Surroundings {
  readonly screen: Screen;
  readonly signal: AbortSignal;
  /** False where nothing is run: the database of a config that names no store is not even loaded. */
  readonly keepsSessions?: boolean;
}

/**
 * Uses the agent that the config file describes: set up and started before, stopped afterwards. Warnings go to stderr,
 * also what fails while it is stopped: the work is done by then. Sessions outlive the process: a config that names no
 * store gets a database beside it, `.shallot/sessions.db`, made when something is first kept.
 * Once the signal is aborted, all of it takes no longer than the agent's `closeTimeoutMs`.
 * Rejects with a usage failure when the configuration is wrong, and with the signal's reason when that is aborted first.
 */
export async function withAgent<T>(
  options: AgentCommandOptions & TraceChoice & { readonly quiet?: boolean },
  { screen, signal, keepsSessions = true }: Surroundings,
  use: (opened: OpenedAgent) => Promise<T>,
): Promise<T> {
  const loading = loadAgent({
    ...configLoading(options, screen),
    ...(keepsSessions && { defaultStore: sessionDatabase }),
    logStream: logLines(screen),
  });
  const loaded = Promise.race([loading, rejectOnAbort(signal)]).catch((error: unknown) => {
    throw error === signal.reason ? error : new CommandFailure(exitStatus.usage, { cause: error });
  });
  const starting = new WorkLine(screen, 'starting');
  if (options.quiet !== true && !screen.json) starting.heard();
  const started = screen.uncaught.orFirst(() => loaded).finally(() => starting.end());
  const first = await started;
  const time = stopTime(signal, first.closeTimeoutMs);
  const warn = (warning: unknown): void => noteWarning(warning, screen);
  const noteTraces: (() => void)[] = [];
  let current = first;

  const open = async (loaded: LoadedAgent): Promise<OpenedAgent> => {
    current = loaded;
    const { agent, path, envFile, config, store, warnings } = loaded;
    for (const warning of new Set([...warnings, ...agent.warnings])) warn(warning);
    noteTraces.push(await traceRuns(agent, options, { config: path, screen }));
    return { agent, path, envFile, config, store, reload: () => reload(loaded) };
  };
  const reload = async (loaded: LoadedAgent): Promise<OpenedAgent> => {
    const next = await loaded.reload();
    next.retired.catch(warn);
    return open(next);
  };

  try {
    const opened = await open(first);
    return await time.orLate(use(opened));
  } finally {
    await current.agent.close({ timeoutMs: time.left }).catch(warn);
    for (const note of noteTraces) note();
  }
}
