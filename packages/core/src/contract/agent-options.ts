import type { AnySchema } from '../base/schema.ts';
import type { Files } from '../files/files.ts';
import type { Logger, LogStream } from '../log/logger.ts';
import type { RedactorOptions } from '../redact/redactor.ts';
import type { CountTokens } from './count-tokens.ts';
import type { ChatModel, ProviderToolEntry, RunSettings, ToolChoice } from './model.ts';
import type { PluginEntry } from './plugin.ts';
import type { RunIdentity } from './run-info.ts';
import type { Store } from './store.ts';
import type { Tool } from './tool.ts';
import type { WorkDefaults } from './work/work-defaults.ts';

/** Options of an agent that are plain values: a config has them, too. */
export interface PlainAgentOptions {
  /** Default: `agent`. */
  readonly name?: string;
  /** An id that stays the same when the name changes, for telemetry and other programs. Default: none. */
  readonly id?: string;
  /** The version of what the agent is made of: its instructions, tools and settings. Default: none. */
  readonly version?: string;
  /** What the agent is for. The model does not see it. Default: none. */
  readonly description?: string;
  /** Model calls of one run at the most. Default: 50. */
  readonly maxSteps?: number;
  /** When `maxSteps` is reached, asks the model for an answer without tools. Default: false. */
  readonly maxStepsAnswer?: boolean;
  /** Tool calls of one step that run at once. Default: 8. */
  readonly toolConcurrency?: number;
  /** `report` shows a failing tool to the model; `throw` ends the run. Default: `report`. */
  readonly toolErrors?: 'report' | 'throw';
  /** Settings of every model call. */
  readonly settings?: RunSettings;
  /** Tools that the provider executes: ids such as `openai.web_search`, or with the provider's settings of the tool. */
  readonly providerTools?: readonly (string | ProviderToolEntry)[];
  /** For each before and after hook, not counting `generate` and `once`. Default: 30,000. */
  readonly hookTimeoutMs?: number;
  /** For each `setup`, `onStart`, `onReady` and `onStop` of a plugin, and each import for a config. Default: 60,000. */
  readonly startTimeoutMs?: number;
  /** The time limit of `agent.close()`; an error names what is still running then. Default: 10,000. */
  readonly closeTimeoutMs?: number;
  /** The maximum time without a chunk or sign of life in a streamed answer. Default: 120,000. */
  readonly modelIdleMs?: number;
  /**
   * The time limit of an answer that is not streamed, or of a stream that sends only signs of life. Default: 600,000.
   */
  readonly modelTimeoutMs?: number;
  /** The time until a claim on a session expires if it is not renewed. Default: 60,000. */
  readonly claimMs?: number;
}

/** The parts and settings of an agent. */
export interface AgentOptions<Context = unknown> extends PlainAgentOptions {
  readonly model: ChatModel;
  /** The system text. Default: none. */
  readonly instructions?: string;
  readonly tools?: readonly Tool[];
  /** Outermost first among those of one priority. */
  readonly plugins?: readonly PluginEntry[];
  /** Default: one in memory, which forgets a session that no run names when its run has ended and cannot be resumed. */
  readonly store?: Store;
  /** Default: `memoryFiles()`. A function returns separate files for each run, for example a root per user. */
  readonly files?: Files | ((run: RunIdentity<Context>) => Files);
  /** A pino logger, or a level for one that writes to stderr. Secrets are removed either way. Default: `warn`. */
  readonly log?: Logger | 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /** Gets the lines of a logger that was given as a level. Default: stderr. */
  readonly logStream?: LogStream;
  /**
   * Additional secrets, for the log and for plugins that export data. By default: those of `process.env`, and text that
   * looks like one.
   */
  readonly redact?: RedactorOptions;
  /** Counts the tokens of a string, for plugins that monitor the size of the context. Default: `estimateTokens`. */
  readonly countTokens?: CountTokens;
  /** Defaults of `work`, where the agent and its store bring them along. */
  readonly work?: WorkDefaults<Context>;
  /** Called last when the agent is closed, to release resources created for this agent, such as its store. */
  readonly onClose?: () => void | Promise<void>;
}

/** Options of one run. */
export interface RunOptions<Context = unknown, S extends AnySchema = AnySchema> {
  /** The session to continue or to begin. Default: a new one, which the default store forgets with the run. */
  readonly sessionId?: string;
  /** The application's own. Never stored, given again on resume. */
  readonly context?: Context;
  /** Aborts the run. With a `ShallotError` of the code `UNCAUGHT` as its reason, the run fails with that error instead. */
  readonly signal?: AbortSignal;
  /** Over the agent's settings, key by key. */
  readonly settings?: RunSettings;
  /** Over the `toolChoice` of the settings. */
  readonly toolChoice?: ToolChoice;
  /** A schema that the answer must fit; the result then has `output`. */
  readonly output?: S;
  /** Abandons an unfinished or interrupted run of the session: its open calls are answered "not executed". */
  readonly abandon?: boolean;
}

export type ResumeOptions<Context = unknown, S extends AnySchema = AnySchema> = Pick<
  RunOptions<Context, S>,
  'context' | 'signal' | 'settings' | 'toolChoice' | 'output'
>;
