import type { Agent } from '@shallot/core';
import { loadAgent, type LoadAgentOptions, type LoadedAgent, type LoadedConfig } from '@shallot/core/config';
import type { Store } from '@shallot/core/store';

import { configLoading, type AgentCommandOptions } from '../asking/config-loading.ts';
import type { Ask } from '../keyboard/question-prompts.ts';
import { logLines } from '../rendering/log-lines.ts';
import { noteWarning } from '../rendering/note-failure.ts';
import { WorkLine } from '../rendering/work-line.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import { rejectOnAbort } from '../terminal/read-question.ts';
import type { Screen } from '../terminal/screen.ts';
import { stopTime } from '../terminal/stop-time.ts';
import { sessionDatabase } from './session-database.ts';
import { withStorePlace } from './store-place.ts';
import { traceRuns, type TraceChoice } from './trace-runs.ts';

/** Replacements for parts of the config. */
export interface ReloadChanges {
  readonly model?: string;
}

export interface OpenedAgent {
  readonly agent: Agent;
  /** The store of its sessions. */
  readonly store: Store;
  /** The absolute path of the config file. */
  readonly path: string;
  /** The path of the `.env` file beside it; undefined if there is none. */
  readonly envFile: string | undefined;
  /** The config of the agent. */
  readonly config: LoadedConfig;
  /** Creates a model from an entry like that of the config. */
  readonly makeModel: LoadedAgent['makeModel'];
  /** Reloads the config and returns the new agent. Rejects if that fails; this agent then stays in use. */
  readonly reload: (changes: ReloadChanges) => Promise<OpenedAgent>;
}

/** The context of an agent. */
interface Surroundings {
  readonly screen: Screen;
  readonly signal: AbortSignal;
  /** Asks on a terminal that this process is already reading. Default: the terminal is read for each question. */
  readonly ask?: Ask;
  /** False if nothing is run, so that the default database is not loaded. */
  readonly keepsSessions?: boolean;
  /** True if the command shows runs as they happen, including the error of one that fails. Default: false. */
  readonly showsRuns?: boolean;
  /** Parts of the agent beside those of the config: files of single runs, and plugins. */
  readonly parts?: Pick<LoadAgentOptions, 'filesOfRun' | 'plugins'>;
}

/**
 * Uses the agent of the config file: sets it up and starts it before, and stops it afterwards. Warnings go to stderr,
 * including errors of stopping. Sessions are persistent: a config without a store gets a database beside it,
 * `.shallot/sessions.db`, created on first use. Once the signal is aborted, everything takes at most the agent's
 * `closeTimeoutMs`. Rejects with a usage failure for an invalid config, and with the signal's reason on an abort.
 */
export async function withAgent<T>(
  options: AgentCommandOptions & TraceChoice & { readonly quiet?: boolean },
  { screen, signal, ask, keepsSessions = true, showsRuns = false, parts = {} }: Surroundings,
  use: (opened: OpenedAgent) => Promise<T>,
): Promise<T> {
  const runs = showsRuns && !screen.json;
  const starting = new WorkLine(screen, 'starting');
  const loading = loadAgent({
    ...configLoading(options, screen, { ask, onQuestion: () => starting.end() }),
    ...(keepsSessions && { defaultStore: sessionDatabase }),
    ...parts,
    logStream: logLines(screen, { runs, events: runs && options.quiet !== true }),
  });
  const loaded = Promise.race([loading, rejectOnAbort(signal)]).catch((error: unknown) => {
    throw error === signal.reason ? error : new CommandFailure(exitStatus.usage, { cause: error });
  });
  if (options.quiet !== true && !screen.json) starting.heard();
  const started = screen.uncaught.orFirst(() => loaded).finally(() => starting.end());
  const first = await started;
  const time = stopTime(signal, first.closeTimeoutMs);
  const warn = (warning: unknown): void => noteWarning(warning, screen);
  const noteTraces: (() => void)[] = [];
  let current = first;

  const open = async (loaded: LoadedAgent): Promise<OpenedAgent> => {
    current = loaded;
    const { agent, path, envFile, config, store, makeModel, warnings } = loaded;
    for (const warning of new Set([...warnings, ...agent.warnings])) warn(warning);
    noteTraces.push(await traceRuns(agent, options, { config: path, screen }));
    return { agent, path, envFile, config, store, makeModel, reload: (changes) => reload(loaded, changes) };
  };
  const reload = async (loaded: LoadedAgent, changes: ReloadChanges): Promise<OpenedAgent> => {
    const next = await loaded.reload(changes);
    next.retired.catch(warn);
    return open(next);
  };

  try {
    const opened = await open(first);
    return await time.orLate(use(opened));
  } catch (error) {
    throw withStorePlace(error, current.config.merged.store?.locate());
  } finally {
    await current.agent.close({ timeoutMs: time.left }).catch(warn);
    for (const note of noteTraces) note();
  }
}
