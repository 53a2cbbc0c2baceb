import type { Agent } from '../agent.ts';
import type { ShallotError } from '../base/errors.ts';
import { defaultCloseTimeoutMs } from '../base/in-time.ts';
import type { Store } from '../contract/store.ts';
import { createAgent } from '../create-agent.ts';
import { loadConfig, type Environment, type LoadConfigOptions, type LoadedConfig } from './load-config.ts';
import { momentOfUse } from './modules/imported-packages.ts';
import { resolveAgentOptions, type AgentOverrides } from './resolve-agent-options.ts';
import { changedStore, noteRunningCode, staleCodeWarnings } from './stale-code-warnings.ts';
import { Succession } from './succession.ts';

export interface LoadAgentOptions<Context = unknown> extends LoadConfigOptions, AgentOverrides<Context> {}

export interface LoadedAgent<Context = unknown> {
  /** The started agent. The caller closes it, which also closes the store opened for it. */
  readonly agent: Agent<Context>;
  /** The time limit of closing the agent, in milliseconds. */
  readonly closeTimeoutMs: number;
  /** The store of the agent's sessions. */
  readonly store: Store;
  /** Nonfatal problems with optional plugins, to be shown to the user. */
  readonly warnings: readonly ShallotError[];
  /** The config that the agent was made from, with the origins of its values. */
  readonly config: LoadedConfig;
  /** The absolute path of the config file. */
  readonly path: string;
  readonly directory: string;
  /** The absolute path of the `.env` file read beside the config, if there is one. */
  readonly envFile: string | undefined;
  /**
   * Reads the config anew, and creates a new agent over the same store. The agent before begins no more runs: it finishes
   * those in progress with its own plugins, then closes. Files named by path that have changed are loaded anew; for other
   * code that has changed there are warnings, `RESTART_NEEDED`.
   * @throws the errors of `loadAgent`, and then the agent before stays as it is; `AGENT_CLOSED`
   */
  readonly reload: () => Promise<ReloadedAgent<Context>>;
}

export interface ReloadedAgent<Context = unknown> extends LoadedAgent<Context> {
  /** Settles when the agent before is closed. Rejects with the errors of closing it. */
  readonly retired: Promise<void>;
}

/**
 * Finds a config file and creates its agent. Options override the config; tools and plugins are added after those of
 * the config. After an error, nothing stays started.
 * @throws the errors of `loadConfig`, of finding and importing modules, and of `createAgent`
 */
export async function loadAgent<Context = unknown>(
  options: LoadAgentOptions<Context> = {},
): Promise<LoadedAgent<Context>> {
  return start(options, undefined);
}

/** What a reload takes over. */
interface Predecessor {
  readonly succession: Succession;
  readonly config: LoadedConfig;
  /** What only the `.env` file said: a program may have made it part of the environment. */
  readonly fromEnvFile: Environment;
}

async function start<Context>(
  options: LoadAgentOptions<Context>,
  before: Predecessor | undefined,
): Promise<LoadedAgent<Context>> {
  const { cwd: _cwd, path: _path, env: given, onEnvFile, onRedactor: _redactor, ...overrides } = options;
  const env = withoutValues(given ?? process.env, before?.fromEnvFile ?? {});
  let fromEnvFile: Environment = {};
  const config = await loadConfig({
    ...options,
    env,
    onEnvFile(file) {
      fromEnvFile = Object.fromEntries(
        Object.entries(file.values).filter(([name]) => env[name] === undefined),
      );
      onEnvFile?.(file);
    },
  });
  const store = before?.succession.store ?? overrides.store;
  const resolved = await resolveAgentOptions(config, { ...overrides, ...(store !== undefined && { store }) });
  const { options: agentOptions } = resolved;
  const succession = before?.succession ?? new Succession(agentOptions.store, resolved.discard);
  const member = {};
  const agent = await createAgent({
    ...agentOptions,
    onClose: async () => {
      try {
        await succession.end(member, overrides.onClose);
      } finally {
        await resolved.release();
      }
    },
  }).catch(async (error: unknown) => {
    await resolved.release();
    // The agent before goes on with the store.
    if (before === undefined) await resolved.discard();
    throw error;
  });
  await succession.begin(member, agent);
  noteRunningCode();
  const loaded = {
    agent,
    closeTimeoutMs: agentOptions.closeTimeoutMs ?? defaultCloseTimeoutMs,
    store: agentOptions.store,
    warnings: [...resolved.warnings, ...agent.warnings],
    config,
    path: config.path,
    directory: config.directory,
    envFile: config.envFile,
  };
  const successor = { succession, config, fromEnvFile };
  return {
    ...loaded,
    reload: () => succession.inTurn(member, () => reload(options, { agent, before: successor })),
  };
}

async function reload<Context>(
  options: LoadAgentOptions<Context>,
  { agent, before }: { readonly agent: Agent<Context>; readonly before: Predecessor },
): Promise<ReloadedAgent<Context>> {
  const moment = momentOfUse();
  const loaded = await start(options, before);
  const retired = before.succession.retire(agent);
  // Whoever does not look at it has no use for what went wrong.
  retired.catch(() => {});
  const restart = [
    ...(options.store === undefined ? changedStore(before.config, loaded.config) : []),
    ...staleCodeWarnings({ file: loaded.path }, moment),
  ];
  return { ...loaded, retired, warnings: [...loaded.warnings, ...restart] };
}

/** The variables, but for those that have just these values. */
function withoutValues(env: Environment, values: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => values[name] !== value));
}
