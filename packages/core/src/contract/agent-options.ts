import type { AnySchema } from '../base/schema.ts';
import type { Files } from '../files/files.ts';
import type { Logger, LogStream } from '../log/logger.ts';
import type { RedactorOptions } from '../redact/redactor.ts';
import type { CountTokens } from './count-tokens.ts';
import type { ChatModel, ProviderToolEntry, RunSettings, ToolChoice } from './model.ts';
import type { PermissionFiles } from './permissions/permission-files.ts';
import type { Permissions } from './permissions/permissions.ts';
import type { PluginEntry } from './plugin.ts';
import type { PriceSource } from './price.ts';
import type { RunIdentity } from './run-info.ts';
import type { Store } from './store.ts';
import type { Tool } from './tool.ts';
import type { WorkDefaults } from './work/work-defaults.ts';

/** Options of an agent with plain values, which a config can contain, too. */
export interface PlainAgentOptions {
  /** Default: `agent`. */
  readonly name?: string;
  /** An id that stays the same when the name changes, for telemetry and other programs. Default: none. */
  readonly id?: string;
  /** The version of the agent: of its instructions, tools and settings. Default: none. */
  readonly version?: string;
  /** The agent's purpose. The model does not see it. Default: none. */
  readonly description?: string;
  /** The maximum number of steps per run: each asks the model once, then executes its tool calls. Default: 50. */
  readonly maxSteps?: number;
  /** True to ask the model for an answer in one more step without tools when `maxSteps` is reached. Default: false. */
  readonly maxStepsAnswer?: boolean;
  /** The maximum number of parallel tool calls in a step. Default: 8. */
  readonly toolConcurrency?: number;
  /**
   * The maximum size of a tool's result, in tokens, that the model gets whole, unless the tool sets its own.
   * `Infinity`: always whole. Default: 10,000, or a twentieth of the model's context if that is less.
   */
  readonly maxResultTokens?: number;
  /** `report` shows a failing tool to the model; `throw` ends the run. Default: `report`. */
  readonly toolErrors?: 'report' | 'throw';
  /**
   * Prices, for the cost of each run in `result.usage`: US dollars per million tokens by model id, or those of
   * `@pydantic/genai-prices`. Default: none, and cost is not counted.
   */
  readonly prices?: PriceSource;
  /** Settings of every model call. */
  readonly settings?: RunSettings;
  /**
   * Rules for the tool calls to execute, to ask a person about, and to refuse. An approval plugin evaluates them; without
   * such a plugin the agent does not start. Default: none.
   */
  readonly permissions?: Permissions;
  /** Tools that the provider executes: ids such as `openai.web_search`, or entries with the provider's settings. */
  readonly providerTools?: readonly (string | ProviderToolEntry)[];
  /**
   * The time limit for each before and after hook, not counting `generate` and `once`, in milliseconds. Default: 30,000.
   */
  readonly hookTimeoutMs?: number;
  /**
   * The time limit for each `setup`, `onStart`, `onReady` and `onStop` of a plugin, and for each module that a config
   * imports, in milliseconds. Default: 60,000.
   */
  readonly startTimeoutMs?: number;
  /** The time limit for `agent.close()`, in milliseconds; its error names what is still running. Default: 10,000. */
  readonly closeTimeoutMs?: number;
  /** The maximum time without a chunk or sign of life in a streamed response, in milliseconds. Default: 120,000. */
  readonly modelIdleMs?: number;
  /**
   * The time limit for a response that is not streamed, or for a stream with only signs of life, in milliseconds.
   * Default: 600,000.
   */
  readonly modelTimeoutMs?: number;
  /** The time until a claim on a session expires if it is not renewed, in milliseconds. Default: 60,000. */
  readonly claimMs?: number;
  /**
   * The approximate size of a separate cache for sessions of ended runs, in bytes; 0 disables it. Default: all agents
   * of the process share a cache of 64 MiB.
   */
  readonly sessionCacheBytes?: number;
}

/** The parts and settings of an agent. */
export interface AgentOptions<Context = unknown> extends PlainAgentOptions {
  readonly model: ChatModel;
  /** The system prompt. Default: none. */
  readonly instructions?: string;
  readonly tools?: readonly Tool[];
  /** The first in the list is the outermost among plugins with equal priority. */
  readonly plugins?: readonly PluginEntry[];
  /**
   * Default: a store in memory, which discards a session without a given id when its run has ended and cannot be
   * resumed.
   */
  readonly store?: Store;
  /** Default: `memoryFiles()`. A function returns separate files for each run, for example a root per user. */
  readonly files?: Files | ((run: RunIdentity<Context>) => Files);
  /** A pino logger, or a level for one that writes to stderr. Secrets are removed either way. Default: `warn`. */
  readonly log?: Logger | 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /**
   * Permission rules from files, in addition to `permissions`: a person's own, which only narrow what the agent may do,
   * and those that answers have kept for the project. Set by a config loader. Default: none.
   */
  readonly permissionFiles?: PermissionFiles;
  /** Receives the log lines if `log` is a level. Default: stderr. */
  readonly logStream?: LogStream;
  /**
   * Additional secrets to redact in the log and in data that plugins export. Default: those of `process.env`, and text
   * that looks like a secret.
   */
  readonly redact?: RedactorOptions;
  /** Counts the tokens of a string, for plugins that monitor the size of the context. Default: `estimateTokens`. */
  readonly countTokens?: CountTokens;
  /** Defaults for `work`, provided together with the agent and its store. */
  readonly work?: WorkDefaults<Context>;
  /** Called last when the agent is closed, to release resources created for this agent, such as its store. */
  readonly onClose?: () => void | Promise<void>;
}

/** Notes of a session, together less than 1 kB of JSON. */
export interface SessionNotes {
  /**
   * The application's name for the user or tenant of the session, up to 100 characters. A new session stores it; for an
   * existing session it is compared with the stored one.
   */
  readonly owner?: string;
  /** A title for the session, up to 100 characters, if it has none yet. */
  readonly title?: string;
  /** The directory that the session is about, up to 500 characters. Stored when the session is created. */
  readonly cwd?: string;
  /**
   * The model that a person chose for the session, named as in a config, up to 200 characters. The last one is stored; it
   * does not affect any run.
   */
  readonly modelName?: string;
  /** The id of the session whose run begins this one, up to 200 characters. Stored when the session is created. */
  readonly parent?: string;
}

/** Options of a run. */
export interface RunOptions<Context = unknown, S extends AnySchema = AnySchema> extends SessionNotes {
  /** The session to continue or create. Default: a new one, which the default store discards after the run. */
  readonly sessionId?: string;
  /** The application's own data. Never stored; pass it again on resume. */
  readonly context?: Context;
  /**
   * Aborts the run. If its reason is a `ShallotError` with the code `UNCAUGHT`, the run fails with that error instead.
   */
  readonly signal?: AbortSignal;
  /** Overrides the agent's settings, key by key. */
  readonly settings?: RunSettings;
  /** Overrides `toolChoice` of the settings. */
  readonly toolChoice?: ToolChoice;
  /** A schema that the answer must match; the result then has `output`. */
  readonly output?: S;
  /** Abandons an unfinished or interrupted run of the session: its open calls are answered "not executed". */
  readonly abandon?: boolean;
}

/**
 * The options of `resume` and `streamResume`: those of `RunOptions` that apply to a resumed run. Only `by` is stored,
 * with the answers.
 */
export type ResumeOptions<Context = unknown, S extends AnySchema = AnySchema> = Pick<
  RunOptions<Context, S>,
  'context' | 'signal' | 'settings' | 'toolChoice' | 'output' | 'owner'
> & {
  /** If true, also resumes a run of another agent, which then belongs to this agent. Default: false. */
  readonly takeOver?: boolean;
  /** The name of the person or program that answers, up to 100 characters: see the option of `answerInterrupts`. */
  readonly by?: string;
};
