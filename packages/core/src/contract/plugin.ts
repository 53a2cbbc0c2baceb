import type { StandardSchemaV1 } from '@standard-schema/spec';

import type { SourceLocation } from '../base/errors.ts';
import type { HookName } from '../base/hook-names.ts';
import { isBranded, isObject } from '../base/is-object.ts';
import type { JsonValue } from '../base/json.ts';
import type { Files } from '../files/files.ts';
import type { Logger } from '../log/logger.ts';
import type { Redactor } from '../redact/redactor.ts';
import type { AgentIdentity } from './agent-identity.ts';
import type { TokenCounts } from './count-tokens.ts';
import type { HookFunctions, Hooks } from './hooks.ts';
import type { ChatModel, ModelName, ModelRequest, ModelResponse, ProviderTool } from './model.ts';
import type { Priority } from './priority.ts';
import type { RunInfo } from './run-info.ts';
import type { Tool, AddToolOptions } from './tool.ts';

/** The version of the plugin API, which plugins name a range of. It is separate from the core's own version. */
export const pluginApi = '1.0.0';

/**
 * A plugin as its author describes it: a name, and at least one hook, `tools` or `setup`. `Options` is what the schema
 * returns, `Input` what users write.
 */
export interface PluginDefinition<Options = unknown, Input = unknown> extends Readonly<
  Partial<HookFunctions>
> {
  /** Its name in config files, errors and the order: lower-case letters, digits and hyphens. */
  readonly name: string;
  /**
   * The plugin's own version. A package hands on that of its package.json, where a config loader finds it too. Default:
   * none.
   */
  readonly version?: string;
  /** The range of `pluginApi` that the plugin was written for: `^1.0.0`. Default: that of the core that it imports. */
  readonly api?: string;
  /** Default: 25. */
  readonly priority?: Priority;
  /** Plugins that this one must wrap, by id or name. */
  readonly outside?: readonly string[];
  /** Plugins that must wrap this one, by id or name. */
  readonly inside?: readonly string[];
  /** Plugins that must be there: name → range of their versions. */
  readonly requires?: Readonly<Record<string, string>>;
  /** Names of plugins that must not be there. */
  readonly conflicts?: readonly string[];
  /**
   * Any Standard Schema; `definePlugin` also takes a plain JSON Schema. Absent options are checked as `{}`. Without a
   * schema, a plugin takes no options. Only `setup` can read them.
   */
  readonly options?: StandardSchemaV1<Input, Options>;
  /** Tools that the plugin brings. */
  readonly tools?: readonly Tool[];
  /**
   * Registers everything that a member cannot express: gates, taps with their own priority, state, services. Runs after
   * the hooks and tools of the definition are registered. All take effect together when it succeeds, and none if it
   * fails.
   */
  setup?(plugin: PluginSetup<Options>): void | Promise<void>;
}

/** A definition as plugins carry it: `definePlugin` has made one `setup` of its hooks, tools and `setup`. */
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
    /** Adds tools, at any time; seen from the next step on. @returns the undo @throws `TOOL_DUPLICATE` */
    readonly add: (tools: Tool | readonly Tool[], options?: AddToolOptions) => () => void;
  };
  /** The agent's files. If each run has its own, every method rejects: use `run.files` instead. */
  readonly files: Files;
  readonly log: Logger;
  /** Removes the secrets that the agent knows of: for plugins that write or send something elsewhere. */
  readonly redactor: Redactor;
  /** Aborted when the plugin is removed or the agent is closed. */
  readonly signal: AbortSignal;
  /** The directory of the config file that lists the plugin, to which paths in options are relative; in code, the working directory. */
  readonly directory: string;
  /** The environment that options may refer to: with a config file also the variables of its `.env`; in code, `process.env`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Estimates the tokens of messages and tools, with the agent's `countTokens`. */
  readonly tokens: TokenCounts;
  /** Declares state of the plugin's own. Anything that counts or remembers lives there, never in a closure. */
  readonly state: <T>(spec: StateSpec<T>) => PluginState<T>;
  /**
   * Makes a model call for the plugin itself. It passes only taps registered with `internal: true`, except the plugin's
   * own. It does not appear in the stream; its usage counts toward the run, under the plugin's id.
   */
  readonly generate: (
    run: RunInfo,
    request: GenerateRequest,
    options: { readonly purpose: string; readonly signal?: AbortSignal },
  ) => Promise<ModelResponse>;
  /**
   * The model that an option names: in a config file what `model` takes, resolved like that, from the file that lists the
   * plugin; a ChatModel is passed on.
   * @throws `OPTION_INVALID` for a name without a config file, else what a config's own model throws
   */
  readonly resolveModel: (named: ModelName) => Promise<ChatModel>;
  /** Surrounds each run and resume, for `AsyncLocalStorage` and tracing contexts. It must call and return `next()`. */
  readonly aroundRun: (surround: <T>(run: RunInfo, next: () => Promise<T>) => Promise<T>) => void;
  /** Runs when the agent starts, outside in. A failure is a start-up error; plugins already started are stopped. */
  readonly onStart: (start: () => void | Promise<void>) => void;
  /** Runs when all plugins have started: the place for checks against the model or other plugins' tools. */
  readonly onReady: (ready: (agent: ReadyAgent) => void | Promise<void>) => void;
  /** Runs when the plugin is removed or the agent is closed, inside out; also after its own `onStart` failed. */
  readonly onStop: (stop: () => void | Promise<void>) => void;
  /** Shares a service with other plugins. @throws `SERVICE_DUPLICATE` */
  readonly provide: <T>(key: ServiceKey<T>, service: T) => void;
  /** Another plugin's service, or undefined. Ask in `onStart` or later: then all plugins are set up. */
  readonly use: <T>(key: ServiceKey<T>) => T | undefined;
}

/** A plugin's own model request; missing members are empty, the model is the agent's. */
export type GenerateRequest = Pick<ModelRequest, 'messages'> & Partial<Omit<ModelRequest, 'messages'>>;

export interface ReadyAgent extends AgentIdentity {
  readonly model: ChatModel;
  /** All tools that are registered, also those that only layers offer: two may have one name. */
  readonly tools: readonly Tool[];
  /** Tools that the provider executes: their calls pass no layer and no gate. */
  readonly providerTools: readonly ProviderTool[];
  /** Returns the ids of the plugins that ask a person about calls of a tool, as it is when called. */
  readonly askedBy: (tool: string) => readonly string[];
}

/** A piece of state: JSON, kept with the session or for the length of a run. */
export interface StateSpec<T> {
  readonly key: string;
  /** Default: `session`. */
  readonly scope?: 'session' | 'run';
  /** The version of the value's shape. Default: 1. */
  readonly version?: number;
  readonly initial: () => T;
  /** By the version they start from: steps that each make the next version. */
  readonly migrate?: Readonly<Record<number, (old: JsonValue) => JsonValue>>;
}

/** Synchronous access; changes are part of the next commit. */
export interface PluginState<T> {
  readonly get: (run: RunInfo) => T;
  /** @throws `VALUE_NOT_JSON` */
  readonly set: (run: RunInfo, value: T) => void;
  readonly update: (run: RunInfo, change: (value: T) => T) => void;
}

export const pluginBrand = Symbol.for('shallot.plugin');

/** A plugin with its options, as listed in `plugins`. */
export interface Plugin {
  readonly [pluginBrand]: true;
  readonly definition: CompleteDefinition;
  /** The `pluginApi` of the copy of the core that made it. */
  readonly madeWith?: string;
  /** The URL of a file of that copy. */
  readonly madeIn?: string;
  /** As the user wrote them: checked when the plugin is set up. */
  readonly options: unknown;
}

/** Makes plugins of one definition; the default export of a plugin package. Every factory is a plain `PluginFactory`. */
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

/** Tests for a result of a plugin factory, of any copy of the core. */
export function isPlugin(value: unknown): value is Plugin {
  return isBranded(value, pluginBrand) && isObject(Reflect.get(value, 'definition'));
}

/** Tests for a result of `definePlugin`, of any copy of the core. */
export function isPluginFactory(value: unknown): value is PluginFactory<unknown> {
  return typeof value === 'function' && 'definition' in value && isObject(value.definition);
}

/** An entry of a list of plugins: a plugin, or a plugin with its place. */
export type PluginEntry = Plugin | PluginPlacement;

export interface PluginPlacement {
  readonly use: Plugin;
  /** Default: the plugin's name. */
  readonly id?: string | undefined;
  /** Replaces the plugin's own. */
  readonly priority?: Priority | undefined;
  /** Added to the plugin's own. */
  readonly outside?: readonly string[] | undefined;
  readonly inside?: readonly string[] | undefined;
  /** Turns a failure of this entry into a warning. Default: false. */
  readonly optional?: boolean | undefined;
  /** The source of the entry, for errors and `inspect`; set by a config loader. */
  readonly source?: PluginSource | undefined;
  /** Values from the plugin's package, used if the definition has none; set by a config loader. */
  readonly manifest?: Pick<PluginDefinition, 'version' | 'api'> | undefined;
  /** Makes the models that the plugin's options name; a config loader sets it. */
  readonly resolveModel?: ((named: Exclude<ModelName, ChatModel>) => Promise<ChatModel>) | undefined;
  /** The directory that lists the plugin, and the environment for its options; a config loader sets them. */
  readonly directory?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Finds the place of an option, or of its key; a config loader sets it. */
  readonly locateOption?:
    | ((path: readonly (string | number)[], part: 'key' | 'value') => SourceLocation)
    | undefined;
}

/** The source of a plugin. */
export interface PluginSource {
  /** A package's name, a file's path, or `code`. */
  readonly from: string;
  readonly at?: SourceLocation;
}

/** A plugin of an agent, as `agent.plugins` lists it: in the order of execution, a copy. */
export interface PluginInfo {
  readonly id: string;
  readonly name: string;
  /** Absent if neither the definition nor a package has one. */
  readonly version?: string;
  /** Per hook; the same number everywhere by default. */
  readonly priority: Readonly<Record<HookName, number>>;
  readonly source: PluginSource;
  /** Lines that the plugin reports about itself, for people: see `pluginStatusKey`. Absent if there are none. */
  readonly status?: readonly string[];
}

/** What one plugin of an agent has registered. */
export interface PluginDetails {
  readonly id: string;
  /** The options as written, with the defaults of the schema, and `[secret]` for what the schema calls secret. */
  readonly options: unknown;
  readonly tools: readonly string[];
  readonly state: readonly { readonly key: string; readonly scope: 'session' | 'run' }[];
  /** The names of the services that it provides. */
  readonly services: readonly string[];
}

/** Names a service that plugins share, and carries its type. */
export interface ServiceKey<T> {
  readonly name: string;
  /** Never there: carries the type only. */
  readonly type?: T;
}

/** A key for `provide` and `use`. Equal names are equal keys, also across copies of a package. */
export function serviceKey<T>(name: string): ServiceKey<T> {
  return Object.freeze({ name });
}
