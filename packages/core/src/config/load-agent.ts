import type { Agent } from '../agent.ts';
import type { ShallotError } from '../base/errors.ts';
import { defaultCloseTimeoutMs } from '../base/in-time.ts';
import type { Store } from '../contract/store.ts';
import { createAgent } from '../create-agent.ts';
import { loadConfig, type LoadConfigOptions, type LoadedConfig } from './load-config.ts';
import { resolveAgentOptions, type AgentOverrides } from './resolve-agent-options.ts';

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
}

/**
 * Finds a config file and creates its agent. Options override the config; tools and plugins are added after those of
 * the config. After an error, nothing stays started.
 * @throws the errors of `loadConfig`, of finding and importing modules, and of `createAgent`
 */
export async function loadAgent<Context = unknown>(
  options: LoadAgentOptions<Context> = {},
): Promise<LoadedAgent<Context>> {
  const {
    cwd: _cwd,
    path: _path,
    env: _env,
    onEnvFile: _file,
    onRedactor: _redactor,
    ...overrides
  } = options;
  const loaded = await loadConfig(options);
  const { options: agentOptions, warnings, discard } = await resolveAgentOptions(loaded, overrides);
  try {
    const agent = await createAgent({
      ...agentOptions,
      onClose: async () => {
        await overrides.onClose?.();
        await discard();
      },
    });
    return {
      agent,
      closeTimeoutMs: agentOptions.closeTimeoutMs ?? defaultCloseTimeoutMs,
      store: agentOptions.store,
      warnings: [...warnings, ...agent.warnings],
      config: loaded,
      path: loaded.path,
      directory: loaded.directory,
      envFile: loaded.envFile,
    };
  } catch (error) {
    await discard();
    throw error;
  }
}
