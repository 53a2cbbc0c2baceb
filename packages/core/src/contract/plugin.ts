import type { StandardSchemaV1 } from '@standard-schema/spec';

import type { SourceLocation } from '../base/errors.ts';
import type { HookName } from '../base/hook-names.ts';
import { isBranded, isObject } from '../base/is-object.ts';
import type { JsonValue } from '../base/json.ts';
import type { Files } from '../files/files.ts';
import type { SessionPlace } from '../files/session-place.ts';
import type { Logger } from '../log/logger.ts';
import type { Redactor } from '../redact/redactor.ts';
import type { AgentIdentity } from './agent-identity.ts';
import type { TokenCounts } from './count-tokens.ts';
import type { HookFunctions, Hooks } from './hooks.ts';
import type { ChatModel, ModelName, ModelRequest, ModelResponse, ProviderTool } from './model.ts';
import type { CallMatcher } from './permissions/call-matcher.ts';
import type { PermissionFiles } from './permissions/permission-files.ts';
import type { Permissions } from './permissions/permissions.ts';
import type { Priority } from './priority.ts';
import type { RunInfo } from './run-info.ts';
import type { AddToolOptions, ServerTool, Tool } from './tool.ts';

/** The version of the plugin API, for the ranges of plugins. It is independent of the core's own version. */
export const pluginApi = '1.0.0';

/**
 * A plugin as its author describes it: a name, and at least one hook, `tools` or `setup`. `Options` is what the schema
 * returns, `Input` what users write.
 */
export interface PluginDefinition<Options = unknown, Input = unknown> extends Readonly<
  Partial<HookFunctions>
> {
  /** The name in config files, errors and the order: lower-case letters, digits and hyphens. */
  readonly name: string;
  /**
   * The version of the plugin. A package passes the version of its package.json, from which a config loader also takes a
   * missing one. Default: none.
   */
  readonly version?: string;
  /**
   * The supported range of `pluginApi`, such as `^1.0.0`. Default: that of its package, or else `^` with the `pluginApi` of
   * the imported core.
   */
  readonly api?: string;
  /** Default: 25. */
  readonly priority?: Priority;
  /** Plugins that this one must wrap, by id or name. */
  readonly outside?: readonly string[];
  /** Plugins that must wrap this one, by id or name. */
  readonly inside?: readonly string[];
  /** Required plugins: name → version range. */
  readonly requires?: Readonly<Record<string, string>>;
  /** Names of plugins that must not be present. */
  readonly conflicts?: readonly string[];
  /**
   * Any Standard Schema; `definePlugin` also accepts a plain JSON Schema. Omitted options are validated as `{}`.
   * Without a schema, the plugin accepts no options. Only `setup` can read them.
   */
  readonly options?: StandardSchemaV1<Input, Options>;
  /** Tools that the plugin adds. */
  readonly tools?: readonly Tool[];
  /**
   * Registers everything that a member cannot express: gates, taps with their own priority, state, services. Runs after
   * the hooks and tools of the definition are registered. All take effect together when it succeeds, and none if it
   * fails.
   */
  setup?(plugin: PluginSetup<Options>): void | Promise<void>;
}

/** A definition with a single `setup`, as made by `definePlugin`. */
export interface CompleteDefinition extends Omit<PluginDefinition, HookName | 'tools'> {
  setup(plugin: PluginSetup): void | Promise<void>;
}

/** The argument of `setup`. */
export interface PluginSetup<Options = unknown> {
  /** The plugin's id: its name, unless the config sets another. */
  readonly id: string;
  readonly options: Options;
  readonly hooks: Hooks;
  readonly tools: {
    /** Adds tools at any time, from the next step on. @returns a function that removes them @throws `TOOL_DUPLICATE` */
    readonly add: (tools: Tool | readonly Tool[], options?: AddToolOptions) => () => void;
  };
  /** The agent's files. If each run has its own, every method rejects: use `run.files` instead. */
  readonly files: Files;
  readonly log: Logger;
  /** Replaces the secrets that the agent knows, for plugins that write or send data elsewhere. */
  readonly redactor: Redactor;
  /** Aborted when the plugin is removed or the agent is closed. */
  readonly signal: AbortSignal;
  /**
   * The directory to which paths in options are relative: that of the config file that lists the plugin; in code, the
   * working directory.
   */
  readonly directory: string;
  /** Returns the location of an option in the config file, for errors about it; undefined in code. */
  readonly locateOption: ((path: readonly (string | number)[]) => SourceLocation) | undefined;
  /**
   * Protects files that the plugin executes or relies on from being written by tools: see
   * `docs/reference/protected-files.md`. For paths in the agent's files, use `files.protect`.
   */
  readonly protect: {
    /**
     * Protects a file of this machine, which may be missing. Use `state` for a file that the agent itself writes.
     * Default: `source`.
     */
    readonly file: (path: string, kind?: 'source' | 'state') => void;
    /**
     * Protects the files that a command names in or below `directory`, in which it starts. The command is a line for a
     * shell, or words.
     */
    readonly command: (command: string | readonly string[], directory: string) => void;
  };
  /**
   * The environment that options may refer to: with a config file, including the variables of its `.env`; in code,
   * `process.env`.
   */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Estimates the tokens of messages and tools, with the agent's `countTokens`. */
  readonly tokens: TokenCounts;
  /**
   * The agent's permissions, for an approval plugin. The plugin that evaluates them provides `permissionEvaluatorKey`.
   */
  readonly permissions: Permissions | undefined;
  /** Permission rules in addition to `permissions`, from the files that a config loader has read. */
  readonly permissionFiles: PermissionFiles | undefined;
  /**
   * Declares state of the plugin. Use it for all data that must be remembered, since closures are shared between
   * sessions.
   */
  readonly state: <T>(spec: StateSpec<T>) => PluginState<T>;
  /**
   * Declares a path for files that belong to a single session. Returns a function that returns the path for a run's
   * session, once it is stored in the session's `about`: deleting the session removes the files there. Await it before
   * each write. @throws `OPTION_INVALID`
   */
  readonly sessionPath: (place: SessionPlace) => (run: RunInfo) => Promise<string>;
  /**
   * Sets the title of a run's session, 1 to 100 characters, in place of any other. @throws `OPTION_INVALID`, or
   * `STORE_FAILED` if the store cannot change a title
   */
  readonly setTitle: (run: RunInfo, title: string) => Promise<void>;
  /**
   * Calls a model for the plugin itself. Only taps registered with `internal: true` apply, without the plugin's own.
   * The call is not streamed; its usage counts toward the run, under the plugin's id.
   */
  readonly generate: (
    run: RunInfo,
    request: GenerateRequest,
    options: { readonly purpose: string; readonly signal?: AbortSignal },
  ) => Promise<ModelResponse>;
  /**
   * Returns the model that an option names. In a config file, it accepts the values of `model`, resolved from the file
   * that lists the plugin; a ChatModel is returned unchanged. A request stored by `beforeModel` can refer to this model
   * in any process. @throws `OPTION_INVALID` for a name without a config file, else the errors of a config's `model`
   */
  readonly resolveModel: (named: ModelName) => Promise<ChatModel>;
  /**
   * Registers a function around each run and resume, for `AsyncLocalStorage` and tracing contexts. It must call and
   * return `next()`.
   */
  readonly aroundRun: (surround: <T>(run: RunInfo, next: () => Promise<T>) => Promise<T>) => void;
  /** Runs when the agent starts, outside in. A failure is a start-up error; plugins already started are stopped. */
  readonly onStart: (start: () => void | Promise<void>) => void;
  /** Runs when all plugins have started. Use it for checks that involve the model or other plugins' tools. */
  readonly onReady: (ready: (agent: ReadyAgent) => void | Promise<void>) => void;
  /** Runs when the plugin is removed or the agent is closed, inside out; also after its own `onStart` failed. */
  readonly onStop: (stop: () => void | Promise<void>) => void;
  /**
   * Runs when a session is deleted, or discarded by its store, outside in. Use it to remove data of the session that is
   * stored elsewhere. The session's files have been removed by then; its record is deleted afterwards. It may run again
   * after an interrupted deletion. An error is reported, and does not stop the deletion.
   */
  readonly onDeleteSession: (hear: (session: DeletedSession) => void | Promise<void>) => void;
  /** Provides a service to other plugins. @throws `SERVICE_DUPLICATE` */
  readonly provide: <T>(key: ServiceKey<T>, service: T) => void;
  /** Returns another plugin's service, or undefined. Call it in `onStart` or later, when all plugins are set up. */
  readonly use: <T>(key: ServiceKey<T>) => T | undefined;
}

/** A session that is being deleted. */
export interface DeletedSession {
  readonly sessionId: string;
  /** The agent's files, or those for the context passed to the deletion. */
  readonly files: Files;
}

/** A plugin's own model request; missing members are empty, and the model defaults to the agent's. */
export type GenerateRequest = Pick<ModelRequest, 'messages'> & Partial<Omit<ModelRequest, 'messages'>>;

/** The agent that `onReady` of a plugin's set-up receives, once every plugin is set up. */
export interface ReadyAgent extends AgentIdentity {
  readonly model: ChatModel;
  /** All models that may be called, as far as known: the agent's own, and those that plugin options name. */
  readonly models: readonly ChatModel[];
  /** All registered tools, including those that only layers offer; names may repeat. */
  readonly tools: readonly Tool[];
  /** Tools that the provider executes: their calls pass no layers or gates. */
  readonly providerTools: readonly ProviderTool[];
  /** Returns the ids of the plugins that currently ask for approval of a tool's calls. */
  readonly askedBy: (tool: string) => readonly string[];
  /** Returns the matchers that plugins currently provide for their tools; see `callMatcherKey`. */
  readonly matchers: () => readonly CallMatcher[];
  /** Returns the server that executes a tool, and the tool's name there, for tools of servers; see `toolServersKey`. */
  readonly serverOf: (tool: string) => ServerTool | undefined;
  /** Returns the text of a skill as a model reads it; undefined if no plugin has it for this run. See `skillTextsKey`. */
  readonly skillText: (run: RunInfo, name: string) => Promise<string | undefined>;
  /** Returns the milliseconds that time limits of plugins currently leave to a run; `Infinity` without a limit. */
  readonly timeLeft: (run: RunInfo) => number;
  /**
   * Returns true if an outer plugin will shorten a request of the run that a model refuses as too long. Layers should
   * pass the refusal on to it before they ask another model.
   */
  readonly shortens: (run: RunInfo) => boolean;
}

/** The treatment of a plugin's state in a fork of its session. */
export type ForkedState = 'keep' | 'begin-again';

/** A declaration of state: JSON, stored with the session or for a run. */
export interface StateSpec<T> {
  readonly key: string;
  /** Default: `session`. */
  readonly scope?: 'session' | 'run';
  /** If true, child runs read and write the state of their root's session or run. Default: false. */
  readonly tree?: boolean;
  /** The version of the value's shape. Default: 1. */
  readonly version?: number;
  readonly initial: () => T;
  /**
   * Determines what `forkSession` does with session state. `keep`: it also applies to the earlier messages, so every fork
   * has it. `begin-again`: it applies to its own session alone, so every fork begins again. Default: a fork of all
   * messages has it, and a fork of fewer begins again.
   */
  readonly onFork?: ForkedState;
  /** Migrations by the version they start from; each returns the next version. */
  readonly migrate?: Readonly<Record<number, (old: JsonValue) => JsonValue>>;
}

/** A piece of plugin state. Access is synchronous; changes are part of the next commit. */
export interface PluginState<T> {
  readonly get: (run: RunInfo) => T;
  /** @throws `VALUE_NOT_JSON`; `RUN_ENDED` after the end of the run */
  readonly set: (run: RunInfo, value: T) => void;
  readonly update: (run: RunInfo, change: (value: T) => T) => void;
}

export const pluginBrand = Symbol.for('shallot.plugin');

/** A plugin with its options, as listed in `plugins`. */
export interface Plugin {
  readonly [pluginBrand]: true;
  readonly definition: CompleteDefinition;
  /** The `pluginApi` of the copy of the core that created it. */
  readonly madeWith?: string;
  /** The URL of a file of that copy. */
  readonly madeIn?: string;
  /** As the user wrote them; validated when the plugin is set up. */
  readonly options: unknown;
}

/**
 * Creates plugins from a definition, each with its own options. It is the default export of a plugin package.
 */
export interface PluginFactory<Input = never> {
  (
    ...options: undefined extends Input
      ? [options?: Input]
      : object extends Input
        ? [options?: Input]
        : [options: Input]
  ): Plugin;
  readonly definition: CompleteDefinition;
}

/** Returns true for a plugin, created by any copy of the core. */
export function isPlugin(value: unknown): value is Plugin {
  return isBranded(value, pluginBrand) && isObject(Reflect.get(value, 'definition'));
}

/** Returns true for a plugin factory, created by any copy of the core. */
export function isPluginFactory(value: unknown): value is PluginFactory<unknown> {
  return typeof value === 'function' && 'definition' in value && isObject(value.definition);
}

/** An entry of a list of plugins: a plugin, or a plugin with its place. */
export type PluginEntry = Plugin | PluginPlacement;

/** A plugin with its place in one agent: an entry of `plugins`, as an alternative to the plugin itself. */
export interface PluginPlacement {
  readonly use: Plugin;
  /** Default: the plugin's name. */
  readonly id?: string | undefined;
  /** Replaces the plugin's own priority. */
  readonly priority?: Priority | undefined;
  /** Added to the plugin's own lists. */
  readonly outside?: readonly string[] | undefined;
  readonly inside?: readonly string[] | undefined;
  /** Turns a failure of this entry into a warning. Default: false. */
  readonly optional?: boolean | undefined;
  /**
   * Keeps the plugin from the runs of the agent itself: its taps surround only children whose definition lists it, and
   * its tools are offered only to children that are granted them. Default: false.
   */
  readonly onlyChildren?: boolean | undefined;
  /** The source of the entry, for errors and `inspect`; set by a config loader. */
  readonly source?: PluginSource | undefined;
  /** Values from the plugin's package, used if the definition has none; set by a config loader. */
  readonly manifest?: Pick<PluginDefinition, 'version' | 'api'> | undefined;
  /** Creates the models that the plugin's options name; set by a config loader. */
  readonly resolveModel?: ((named: Exclude<ModelName, ChatModel>) => Promise<ChatModel>) | undefined;
  /** The directory that lists the plugin, and the environment for its options; set by a config loader. */
  readonly directory?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Returns the location of an option, or of its key; set by a config loader. */
  readonly locateOption?:
    | ((path: readonly (string | number)[], part: 'key' | 'value') => SourceLocation)
    | undefined;
}

/** The source of a plugin. */
export interface PluginSource {
  /** The name of a package, the path of a file, or `code`. */
  readonly from: string;
  readonly at?: SourceLocation;
}

/** A plugin of an agent, as `agent.plugins` lists it. */
export interface PluginInfo {
  readonly id: string;
  readonly name: string;
  /** Undefined if neither the definition nor a package has one. */
  readonly version?: string;
  /** The priority for each hook; by default the same for all hooks. */
  readonly priority: Readonly<Record<HookName, number>>;
  readonly source: PluginSource;
  /** Status lines that the plugin provides, see `pluginStatusKey`; undefined if there are none. */
  readonly status?: readonly string[];
  /** Sentences on what the plugin's options leave open or permit; undefined if there are none. */
  readonly notes?: readonly string[];
}

/** The registrations of one plugin of an agent. */
export interface PluginDetails {
  readonly id: string;
  /**
   * The options as written, with the defaults of the schema, and `[secret]` for options that the schema marks as
   * secret.
   */
  readonly options: unknown;
  readonly tools: readonly string[];
  readonly state: readonly { readonly key: string; readonly scope: 'session' | 'run' }[];
  /** The names of the provided services. */
  readonly services: readonly string[];
}

/** The name of a service shared between plugins; carries its type. */
export interface ServiceKey<T> {
  readonly name: string;
  /** Never set; carries the type only. */
  readonly type?: T;
}

/** Creates a key for `provide` and `use`. Keys with equal names are equal, also across copies of a package. */
export function serviceKey<T>(name: string): ServiceKey<T> {
  return Object.freeze({ name });
}
