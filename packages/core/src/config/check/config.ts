import type { JsonSchema } from '../../base/schema.ts';
import type { PlainAgentOptions } from '../../contract/agent-options.ts';
import type { ChatModel } from '../../contract/model.ts';
import type { Plugin, PluginFactory } from '../../contract/plugin.ts';
import type { Priority } from '../../contract/priority.ts';
import type { Store } from '../../contract/store.ts';
import type { Tool } from '../../contract/tool.ts';
import type { Queue } from '../../contract/work/queue.ts';
import type { Keep, WorkDefaults } from '../../contract/work/work-defaults.ts';
import type { Files } from '../../files/files.ts';
import type { LogLevel } from '../../log/logger.ts';

/**
 * The content of a config file. Relative paths and package names are resolved from the directory of the file that
 * contains them. Any value in a file may be `{ $env: NAME, default?: value }`.
 */
export interface Config extends PlainAgentOptions {
  /** For editors, in JSON: `node_modules/@shallot/core/shallot.config.schema.json`. */
  readonly $schema?: string;
  /**
   * Base config files (paths or packages). Later files override earlier ones, and this file overrides all of them: its
   * values win, `settings` merge key by key, `tools` and rules of `permissions` are added, and an entry of `plugins`
   * merges key by key, in place, into the entry of the same id (or else name), or is appended if there is none.
   */
  readonly extends?: string | readonly string[];
  /**
   * `provider/model`, a provider entry with settings, or the path of a module that exports or makes a model; `offline` is a
   * built-in model that asks no provider.
   */
  readonly model?: string | ModuleEntry | ProviderModelEntry | ChatModel;
  /** The system prompt, the file that contains it, or parts of it, which are joined with blank lines. */
  readonly instructions?:
    | string
    | { readonly file: string }
    | readonly ({ readonly file: string } | { readonly text: string })[];
  /**
   * Paths and globs of modules, or packages, that export tools or lists of tools. A config in code may also list tools.
   */
  readonly tools?: readonly (string | Tool)[];
  readonly plugins?: readonly (string | PluginConfigEntry | Plugin)[];
  /** `memory`, `sqlite`, or the path of a module whose default export is a store or creates one. Default: `memory`. */
  readonly store?: string | StoreEntry | Store;
  /**
   * The working directory of plugins and tools, `memory`, or a module whose default export is a files service or
   * creates one. Default: the directory of the config file.
   */
  readonly files?: string | ModuleEntry | Files;
  /**
   * Protected files that plugins and tools may use nevertheless: names such as `.env*`, and paths from the root of the
   * files, such as `/.vscode/settings.json`. Default: none.
   */
  readonly unlock?: readonly string[];
  /** For workers: a module whose default export is a queue or creates one. Default: no queue; the store is polled. */
  readonly queue?: string | ModuleEntry | Queue;
  /**
   * For workers: a module whose default export is a function that returns the context of a run from its session id and
   * submitted metadata.
   */
  readonly context?: string | NonNullable<WorkDefaults['context']>;
  /** For workers: the time that the agent's sessions are kept. Default: forever. */
  readonly keep?: Keep;
  /** For `shallot serve`: the address that it listens on, and the clients that it answers. */
  readonly serve?: ServeConfig;
  /** For `shallot acp`: settings of sessions in an editor. */
  readonly acp?: AcpConfig;
  /** The minimum level of log lines written to stderr. */
  readonly log?: LogLevel;
  /** Additional secrets, beside those of the environment and strings that look like a secret. */
  readonly redact?: RedactConfig;
}

/** The settings of `shallot serve`, for `createServer` and `listen` of `@shallot/server`. */
export interface ServeConfig {
  /** Default: 4111. */
  readonly port?: number;
  /** The address to listen on. Any address but a loopback address needs `tokens`. Default: `127.0.0.1`. */
  readonly host?: string;
  /** Bearer tokens of operators, of at least 16 characters: `[{ $env: NAME }]`. List two while one replaces the other. */
  readonly tokens?: readonly string[];
  /** The values of `Host` that are answered. Default: with `tokens` all, otherwise localhost and 127.0.0.1. */
  readonly hosts?: readonly string[];
  /** Origins of web pages from other sites that may use the server. Default: none. */
  readonly origins?: readonly string[];
  /** `workers` leaves the runs to `shallot worker`. Default: `here`. */
  readonly execute?: 'here' | 'workers';
  /** The maximum number of runs that are executed at once. Default: 8. */
  readonly concurrency?: number;
  /** True behind a proxy that sets `X-Forwarded-Host`: it is read instead of `Host`. Default: false. */
  readonly trustProxy?: boolean;
  readonly limits?: ServeLimits;
  /**
   * The key for sealing the state that clients hold while a call waits, at least 32 characters: `{ $env: NAME }`.
   * Processes that serve the same clients need the same key. Default: the file `.shallot/key`.
   */
  readonly secret?: string;
  /** For `shallot mcp serve`. */
  readonly mcp?: ServeMcpConfig;
}

/** The limits of `shallot serve`. Files and other parts of an input count as part of the body. */
export interface ServeLimits {
  /** The maximum size of a request's body, in bytes. Default: 10,000,000. */
  readonly bodyBytes?: number;
  /** The maximum size of all headers of a request together, in bytes. Default: 16,384. */
  readonly headerBytes?: number;
  /** The maximum number of requests per minute of an identity, which each process counts for itself. Default: 600. */
  readonly requestsPerMinute?: number;
  /** The maximum number of an owner's runs in progress; with `tokens`, of all runs. Default: 20. */
  readonly openRuns?: number;
}

/** The agent as a tool of MCP clients. */
export interface ServeMcpConfig {
  /** A JSON Schema for its answers, which are then structured content. Default: any text. */
  readonly output?: JsonSchema;
  /**
   * Names of tools of the agent that clients can call directly, through its gates; `*` matches any characters. Default:
   * none.
   */
  readonly tools?: readonly string[];
}

/** The settings of `shallot acp`. */
export interface AcpConfig {
  /** Models that a person can choose for a session, beside that of the config, written like it. Default: none. */
  readonly models?: readonly string[];
  /**
   * Reads files as the editor shows them, with unsaved changes, if the editor lets agents read. Searches read the disk.
   * Default: false.
   */
  readonly unsavedFiles?: boolean;
}

export interface RedactConfig {
  /** Secrets to remove from logs and traces, each at least 4 characters long: `{ $env: NAME }`. */
  readonly secrets?: readonly string[];
  /** Regular expressions that match additional secrets. */
  readonly patterns?: readonly (string | RegExp)[];
  /** Also treats environment variables whose names look like keys, tokens or passwords as secrets. Default: true. */
  readonly environment?: boolean;
}

/** A model of a provider, with settings. The package `@shallot/model-ai-sdk` creates it. */
export interface ProviderModelEntry {
  /** A provider such as `anthropic`, or `openai-compatible` for servers with an OpenAI-compatible API. */
  readonly provider: string;
  /** The provider's name for the model. */
  readonly model: string;
  /** The base URL of the API. Default: the provider's own. */
  readonly baseURL?: string;
  /** The API key: `{ $env: NAME }`. Default: the provider's own environment variable. */
  readonly apiKey?: string;
  /** Headers sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The size of the model's context window, in tokens; `lookup` reads it from the package `@pydantic/genai-prices`. */
  readonly contextTokens?: number | 'lookup';
  readonly outputTokens?: number;
  /** The API to use with `openai` and `azure`. Default: `responses`. */
  readonly api?: 'chat' | 'responses';
  /**
   * The tag in which the model writes its reasoning at the beginning of its text: `think`, for `<think>…</think>`; with
   * `opened`, if the model's template opens it. For servers that do not separate reasoning from text.
   */
  readonly reasoningTag?: string | { readonly name: string; readonly opened?: boolean };
  /** Settings of the provider's package, such as `region` or `organization`. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** The AI SDK package of a provider that is not built in. */
  readonly package?: string;
}

/** A module that creates a value, with options for its function. */
export interface ModuleEntry {
  readonly use: string;
  readonly options?: unknown;
}

/** A store by name or path, with its options. */
export interface StoreEntry extends ModuleEntry {
  /** The path of the `sqlite` database, relative to the config file. Default: `.shallot/sessions.db`. */
  readonly path?: string;
}

/** A plugin and its place in the onion. */
export interface PluginConfigEntry {
  /** A name, a package or a path. A config in code may also use a plugin or its factory. */
  readonly use: string | Plugin | PluginFactory;
  /** Default: the plugin's name. */
  readonly id?: string;
  /** Options of the plugin. Not allowed with a plugin object, which already has its options. */
  readonly options?: unknown;
  /** Replaces the plugin's own priority. */
  readonly priority?: Priority;
  /** Ids or names of plugins that this one wraps. */
  readonly outside?: readonly string[];
  /** Ids or names of plugins that wrap this one. */
  readonly inside?: readonly string[];
  /** If false, the plugin is neither located nor loaded. Default: true. */
  readonly enabled?: boolean;
  /** Lets the agent start without the plugin, with a warning, if the plugin fails. Default: false. */
  readonly optional?: boolean;
  /**
   * Keeps the plugin from the runs of the agent itself: it is only for children whose definition lists it, or that are
   * granted its tools. Default: false.
   */
  readonly onlyChildren?: boolean;
}

/** Returns the config unchanged, for type checking and completion in an editor. */
export function defineConfig(config: Config): Config {
  return config;
}
