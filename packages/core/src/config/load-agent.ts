import type { Agent } from '../agent.ts';
import type { ShallotError } from '../base/errors.ts';
import { defaultCloseTimeoutMs } from '../base/in-time.ts';
import type { Store } from '../contract/store.ts';
import { createAgent } from '../create-agent.ts';
import { loadConfig, type LoadConfigOptions } from './load-config.ts';
import { resolveAgentOptions, type AgentOverrides } from './resolve-agent-options.ts';

export interface LoadAgentOptions<Context = unknown> extends LoadConfigOptions, AgentOverrides<Context> {}

export interface LoadedAgent<Context = unknown> {
  /** Set up and started; the caller closes it, and with it the store that was opened for it. */
  readonly agent: Agent<Context>;
  /** The agent's own: how long closing it may take. */
  readonly closeTimeoutMs: number;
  /** Where the agent's sessions are kept. */
  readonly store: Store;
  /** What went wrong with optional plugins and was not fatal: to be shown. */
  readonly warnings: readonly ShallotError[];
  /** The absolute path of the config file. */
  readonly path: string;
  readonly directory: string;
  /** The absolute path of the `.env` beside it that was read, if there is one. */
  readonly envFile: string | undefined;
}

/**
 * Finds a config file and makes the agent that it describes. What the options give replaces what the config says;
 * their tools and plugins come after those of the config.
 * @throws what `loadConfig`, finding and importing modules, and `createAgent` throw; nothing stays half-started
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
      path: loaded.path,
      directory: loaded.directory,
      envFile: loaded.envFile,
    };
  } catch (error) {
    await discard();
    throw error;
  }
}
