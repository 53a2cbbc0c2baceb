import type { Agent } from '../agent.ts';
import type { ShallotError } from '../base/errors.ts';
import { defaultCloseTimeoutMs } from '../base/in-time.ts';
import type { ChatModel } from '../contract/model.ts';
import type { Store } from '../contract/store.ts';
import { createAgent } from '../create-agent.ts';
import { collectSources, type LoadedSources } from '../files/protection/loaded-files.ts';
import { watchLoaded } from '../files/protection/watch-loaded.ts';
import { loadConfig, type Environment, type LoadConfigOptions, type LoadedConfig } from './load-config.ts';
import { usesSoFar } from './modules/imported-packages.ts';
import { placeRefusal } from './place-refusal.ts';
import { modelMaker, resolveAgentOptions, type AgentOverrides } from './resolve-agent-options.ts';
import { changedStore, noteRunningCode, staleCodeWarnings } from './stale-code-warnings.ts';
import { Succession } from './succession.ts';

/** Options of `loadAgent`: the location of the config, and overrides of its values. */
export interface LoadAgentOptions<Context = unknown> extends LoadConfigOptions, AgentOverrides<Context> {}

/** A started agent, with its store and the config that describes it. */
export interface LoadedAgent<Context = unknown> {
  /** The started agent. The caller must close it, which also closes the store opened for it. */
  readonly agent: Agent<Context>;
  /** The time limit for closing the agent, in milliseconds. */
  readonly closeTimeoutMs: number;
  /** The store of the agent's sessions. */
  readonly store: Store;
  /** Problems that did not prevent the start, to show to the user: of plugins, files, the model or the store, for example. */
  readonly warnings: readonly ShallotError[];
  /** The config of the agent, with the origins of its values. */
  readonly config: LoadedConfig;
  /** The absolute path of the config file. */
  readonly path: string;
  readonly directory: string;
  /** The absolute path of the `.env` file beside the config; undefined if there is none. */
  readonly envFile: string | undefined;
  /** Creates a model that is written like the config's `model`. @throws the errors of creating it */
  readonly makeModel: (name: string) => Promise<ChatModel>;
  /**
   * Reads the config again, and creates a new agent with the same store. The previous agent starts no more runs: it
   * finishes those in progress with its own plugins, then closes. Changed files that the config names by path are
   * reloaded; other changed code causes `RESTART_NEEDED` warnings. @throws the errors of `loadAgent`: the previous agent
   * then stays in use; `AGENT_CLOSED`
   *
   * `model` replaces the config's model: `provider/model`, a path, or `offline`.
   */
  readonly reload: (changes?: { readonly model?: string }) => Promise<ReloadedAgent<Context>>;
}

/** Replacements for parts of the config. */
interface ReloadChanges {
  readonly model?: string;
}

/** The agent that replaces a loaded one. */
interface ReloadedAgent<Context = unknown> extends LoadedAgent<Context> {
  /** Settles when the previous agent is closed. Rejects with the errors of closing it. */
  readonly retired: Promise<void>;
}

/**
 * Finds a config file and creates its agent. Options override the config; tools and plugins are added after those of
 * the config. After an error nothing is left running. @throws the errors of `loadConfig`, of finding and importing
 * modules, and of `createAgent`
 */
export async function loadAgent<Context = unknown>(
  options: LoadAgentOptions<Context> = {},
): Promise<LoadedAgent<Context>> {
  return start(options, undefined);
}

function start<Context>(
  options: LoadAgentOptions<Context>,
  before: Predecessor | undefined,
): Promise<LoadedAgent<Context>> {
  return collectSources((sources) => startFrom(options, before, sources));
}

/** The agent that a reload replaces, and the changes. */
interface Predecessor {
  readonly changes: ReloadChanges;
  readonly succession: Succession;
  readonly config: LoadedConfig;
  /** The variables that are set only in the `.env` file. A program may have added them to the environment. */
  readonly fromEnvFile: Environment;
}

async function startFrom<Context>(
  options: LoadAgentOptions<Context>,
  before: Predecessor | undefined,
  sources: LoadedSources,
): Promise<LoadedAgent<Context>> {
  const {
    cwd: _cwd,
    path: _path,
    env: given,
    onEnvFile,
    onRedactor: _redactor,
    onChangedFiles: _changed,
    ...overrides
  } = options;
  const env = withoutValues(given ?? process.env, before?.fromEnvFile ?? {});
  let fromEnvFile: Environment = {};
  const loadedConfig = await loadConfig({
    ...options,
    env,
    onEnvFile(file) {
      fromEnvFile = Object.fromEntries(
        Object.entries(file.values).filter(([name]) => env[name] === undefined),
      );
      onEnvFile?.(file);
    },
  });
  const config = withChanges(loadedConfig, before?.changes);
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
    // On a reload, the previous agent still uses the store.
    if (before === undefined) await resolved.discard();
    throw placeRefusal(error, config.merged);
  });
  await succession.begin(member, agent);
  noteRunningCode();
  watchLoaded(config.directory, sources, agentOptions.store);
  const loaded = {
    agent,
    closeTimeoutMs: agentOptions.closeTimeoutMs ?? defaultCloseTimeoutMs,
    store: agentOptions.store,
    warnings: [...resolved.warnings, ...agent.warnings],
    config,
    path: config.path,
    directory: config.directory,
    envFile: config.envFile,
    makeModel: (name: string) => modelMaker(undefined, withChanges(config, { model: name }))(),
  };
  const successor = { succession, config, fromEnvFile };
  return {
    ...loaded,
    reload: (changes = {}) =>
      succession.inTurn(member, () => reload(options, { agent, before: { ...successor, changes } })),
  };
}

async function reload<Context>(
  options: LoadAgentOptions<Context>,
  { agent, before }: { readonly agent: Agent<Context>; readonly before: Predecessor },
): Promise<ReloadedAgent<Context>> {
  const moment = usesSoFar();
  const loaded = await start(options, before);
  const retired = before.succession.retire(agent);
  // Programs may ignore this promise without causing an unhandled rejection.
  retired.catch(() => {});
  const restart = [
    ...(options.store === undefined ? changedStore(before.config, loaded.config) : []),
    ...staleCodeWarnings({ file: loaded.path }, moment),
  ];
  return { ...loaded, retired, warnings: [...loaded.warnings, ...restart] };
}

function withChanges(config: LoadedConfig, { model }: ReloadChanges = {}): LoadedConfig {
  if (model === undefined) return config;
  const { merged, directory, path } = config;
  const at = { file: path };
  const named = { value: model, directory, locate: () => at, origin: () => ({ from: 'default' }) as const };
  return { ...config, merged: { ...merged, model: named } };
}

/** Returns the variables except those that have exactly these values. */
function withoutValues(env: Environment, values: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => values[name] !== value));
}
