import type { PlainAgentOptions } from '../../contract/agent-options.ts';
import type { ChatModel } from '../../contract/model.ts';
import type { Plugin, PluginFactory } from '../../contract/plugin.ts';
import type { Priority } from '../../contract/priority.ts';
import type { Store } from '../../contract/store.ts';
import type { Tool } from '../../contract/tool.ts';
import type { Files } from '../../files/files.ts';
import type { LogLevel } from '../../log/logger.ts';

/**
 * What a config file says. Relative paths and names of packages count from the directory of the file that has them.
 * In any file, a value may be `{ $env: NAME, default?: value }`.
 */
export interface Config extends PlainAgentOptions {
  /** For editors, in JSON: `node_modules/@shallot/core/shallot.config.schema.json`. */
  readonly $schema?: string;
  /**
   * Config files (paths or packages) that this one builds on, the later over the earlier, this one over all. The
   * extending file's value wins; `settings` are merged key by key; `tools` add up; an entry of `plugins` is merged, key
   * by key and in place, into the one of the same id (or else name), and comes after all of them if there is none.
   */
  readonly extends?: string | readonly string[];
  /** `provider/model`, a model of a provider with its settings, or a path to a module that exports or makes one. */
  readonly model?: string | ModuleEntry | ProviderModelEntry | ChatModel;
  /** The system text, or the file that holds it. */
  readonly instructions?: string | { readonly file: string };
  /** Paths and globs of modules, or packages, that export tools or lists of them; in code also tools. */
  readonly tools?: readonly (string | Tool)[];
  readonly plugins?: readonly (string | PluginConfigEntry | Plugin)[];
  /** `memory`, `sqlite`, or a path to a module whose default export is a store or makes one. Default: `memory`. */
  readonly store?: string | StoreEntry | Store;
  /** The directory that plugins and tools work in, or `memory`. Default: the directory of the config file. */
  readonly files?: string | Files;
  /** The level from which on the log goes to stderr. */
  readonly log?: LogLevel;
  /** What secrets are, beside those of the environment and what looks like one. */
  readonly redact?: RedactConfig;
}

export interface RedactConfig {
  /** Secrets to remove from logs and traces, each of 4 characters or more: `{ $env: NAME }`. */
  readonly secrets?: readonly string[];
  /** Regular expressions of more. */
  readonly patterns?: readonly (string | RegExp)[];
  /** Whether the environment is searched for values that are named like keys, tokens or passwords. Default: true. */
  readonly environment?: boolean;
}

/** A model of a provider, where its name alone does not say all. The package `@shallot/model-ai-sdk` makes it. */
export interface ProviderModelEntry {
  /** `anthropic`, for instance, or `openai-compatible` for any server that speaks OpenAI's protocol. */
  readonly provider: string;
  /** The model's name, as the provider has it. */
  readonly model: string;
  /** Where the provider is, if not at its own address. */
  readonly baseURL?: string;
  /** From the environment: `{ $env: NAME }`. Default: the provider's own variable. */
  readonly apiKey?: string;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The size of the model's context; `lookup` takes it from the package `@pydantic/genai-prices`. */
  readonly contextTokens?: number | 'lookup';
  readonly outputTokens?: number;
  /** With `openai` and `azure`: the interface to use. Default: `responses`. */
  readonly api?: 'chat' | 'responses';
  /** The settings of the provider's package: `region`, `organization` … */
  readonly options?: Readonly<Record<string, unknown>>;
  /** A provider package of the AI SDK, for a provider that is not known by name. */
  readonly package?: string;
}

/** A module that makes something, and what its function is given. */
export interface ModuleEntry {
  readonly use: string;
  readonly options?: unknown;
}

/** A store by name or path, with what it needs. */
export interface StoreEntry extends ModuleEntry {
  /** With `sqlite`: the database, relative to the config file. Default: `.shallot/sessions.db`. */
  readonly path?: string;
}

/** A plugin with its place in the onion. */
export interface PluginConfigEntry {
  /** A name, a package, or a path; in code also a plugin or its factory. */
  readonly use: string | Plugin | PluginFactory;
  /** Default: the plugin's name. */
  readonly id?: string;
  /** Not with a plugin object, which has its options already. */
  readonly options?: unknown;
  /** Replaces the plugin's own. */
  readonly priority?: Priority;
  /** Ids or names of plugins that this one stands further out than. */
  readonly outside?: readonly string[];
  /** Ids or names of plugins that this one stands further in than. */
  readonly inside?: readonly string[];
  /** A plugin that is not enabled is not even looked for. Default: true. */
  readonly enabled?: boolean;
  /** Whether the agent may start without it when it fails, with a warning. Default: false. */
  readonly optional?: boolean;
}

/** Gives a config its type; what it takes is what it returns. */
export function defineConfig(config: Config): Config {
  return config;
}
