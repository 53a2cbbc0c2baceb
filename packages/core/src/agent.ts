import type { ShallotError } from './base/errors.ts';
import type { HookName } from './base/hook-names.ts';
import type { AnySchema, SchemaOutput } from './base/schema.ts';
import type { AgentIdentity } from './contract/agent-identity.ts';
import type { AgentOptions, ResumeOptions, RunOptions } from './contract/agent-options.ts';
import type { LayerInfo } from './contract/hooks.ts';
import type { Answers, Interrupt } from './contract/interrupt.ts';
import type { Input, Message } from './contract/messages.ts';
import type { ChatModel } from './contract/model.ts';
import type { Plugin, PluginDetails, PluginInfo, PluginPlacement } from './contract/plugin.ts';
import type { RunResult } from './contract/result.ts';
import type { UserCommand } from './contract/services/user-command.ts';
import type { RunRecord, StateRecord } from './contract/store.ts';
import type { Tool, AddToolOptions } from './contract/tool.ts';
import type { RunUsage } from './contract/usage.ts';
import type { Redactor } from './redact/redactor.ts';
import type { RunStream } from './run/event-stream.ts';
import type { WorkOptions } from './workers/work-options.ts';

/** The contents and status of a session. */
export interface SessionView {
  readonly id: string;
  readonly messages: readonly Message[];
  readonly interrupts: readonly Interrupt[];
  /** Session-scoped plugin state: plugin id, then key. */
  readonly state: StateRecord;
  /** Of all runs together. */
  readonly usage: RunUsage;
  /** The status of the last run; undefined before the first. */
  readonly status: RunRecord['status'] | undefined;
  /** True if the last run can be resumed. */
  readonly resumable: boolean;
}

/** Whose commands are listed: those of a run with these options. */
export type CommandsOptions<Context> = Pick<RunOptions<Context>, 'sessionId' | 'context'>;

export interface CloseOptions {
  /**
   * `abort` ends the runs in progress; `finish` waits for them first, and the time limit begins after the last one. No
   * run can begin in either case, and a later `abort` still ends them. Default: `abort`.
   */
  readonly runs?: 'abort' | 'finish';
  /** Default: the agent's `closeTimeoutMs`. */
  readonly timeoutMs?: number;
}

/** A model, instructions, tools and plugins, ready to run. Made by `createAgent`. */
export interface Agent<Context = unknown> extends AgentIdentity, AsyncDisposable {
  readonly model: ChatModel;
  /** Removes the secrets that the agent knows: for a program that shows errors, warnings and events of plugins. */
  readonly redactor: Redactor;
  /** In the order of execution, outermost first: a copy. */
  readonly plugins: readonly PluginInfo[];
  readonly tools: {
    /** Adds tools of the agent's own, seen from the next step on. @returns the undo @throws `TOOL_DUPLICATE` */
    readonly add: (tools: Tool | readonly Tool[], options?: AddToolOptions) => () => void;
    /** The tools that a request offers by default: a copy. */
    readonly list: () => readonly Tool[];
  };
  /** Warnings of its store, and the errors of optional plugins that failed when they were added. */
  readonly warnings: readonly ShallotError[];
  /**
   * Runs to the end. Rejects with a `ShallotError` that has the `result` when the run fails or is aborted.
   * @throws `SESSION_BUSY`, `SESSION_INTERRUPTED`, `SESSION_NOT_FOUND`, `SESSION_UNFINISHED`, `STATE_VERSION`,
   * `STORE_CONFLICT` before anything has run
   */
  run<S extends AnySchema = never>(
    input: Input,
    options?: RunOptions<Context, S>,
  ): Promise<RunResult<SchemaOutput<S>>>;
  /** The same, with its events as they come. Leaving the iteration aborts the run. */
  stream<S extends AnySchema = never>(
    input: Input,
    options?: RunOptions<Context, S>,
  ): RunStream<SchemaOutput<S>>;
  /**
   * Goes on with a run that was interrupted, with answers by interrupt id, or with one that came to no end: its process died,
   * it was aborted, or it failed on the way.
   * @throws `INTERRUPT_UNKNOWN`, `INTERRUPT_ANSWER`, `SESSION_NOT_FOUND`, `SESSION_NOT_RESUMABLE`, `PLUGIN_GONE`, `TOOL_GONE`, `STATE_VERSION`
   * before anything has run
   */
  resume<S extends AnySchema = never>(
    sessionId: string,
    answers?: Answers,
    options?: ResumeOptions<Context, S>,
  ): Promise<RunResult<SchemaOutput<S>>>;
  streamResume<S extends AnySchema = never>(
    sessionId: string,
    answers?: Answers,
    options?: ResumeOptions<Context, S>,
  ): RunStream<SchemaOutput<S>>;
  /**
   * Lets the current step of a session's run finish, with all its calls; the run then ends as `aborted`, and `resume`
   * continues it. A run that its step ends is not affected. A run in another process learns of it when it next renews its
   * claim, after a third of `claimMs` at the latest; one that no process is executing is not resumed by workers any more.
   * Resolves to false if there is no unfinished run.
   */
  stop(sessionId: string): Promise<boolean>;
  /**
   * Works as a worker: resumes what `list({ resumable: true })` of the store shows, submitted runs included, several at a
   * time. Resolves when `signal` is aborted and no run is in progress.
   */
  work(options?: WorkOptions<Context>): Promise<void>;
  /** Adds a plugin; runs in flight keep the hooks they began with. */
  use(plugin: Plugin, placement?: Omit<PluginPlacement, 'use'>): Promise<void>;
  /** Removes a plugin by its id, with all it brought. Whether there was one. @throws `PLUGIN_REQUIRES` when it is needed */
  remove(id: string): Promise<boolean>;
  /**
   * Creates another agent with these changes and the same plugins, set up again. Only the store and files are shared.
   */
  fork(changes?: Partial<AgentOptions<Context>>): Promise<Agent<Context>>;
  /** Each hook's taps, in the order of execution, with the reasons of their places. */
  layers(): Readonly<Record<HookName, readonly LayerInfo[]>>;
  /** Returns what a plugin has registered, and its options after defaults; undefined if there is none of this id. */
  details(id: string): PluginDetails | undefined;
  /**
   * Returns what people can call by name in the place of a message, from all plugins that provide it. Where runs have
   * files of their own, it is what a run with these options would have.
   */
  commands(options?: CommandsOptions<Context>): Promise<readonly UserCommand[]>;
  /** Returns the ids of the plugins that ask a person about calls of a tool: about all of them, or under a condition. */
  askedBy(tool: string): readonly string[];
  /** Returns the contents and status of a session, or undefined if it does not exist. */
  session(sessionId: string): Promise<SessionView | undefined>;
  /**
   * Deletes a session with all that it holds. Returns whether there was one.
   * @throws `SESSION_BUSY` while this agent is at work on it, `STORE_CONFLICT` while another process is
   */
  deleteSession(sessionId: string): Promise<boolean>;
  /**
   * Aborts all runs or lets them finish, and stops the plugins, within `timeoutMs`, or else `closeTimeoutMs`. @throws `PLUGIN_STOP_FAILED`; `CLOSE_TIMEOUT` with the names of what is still running
   */
  close(options?: CloseOptions): Promise<void>;
}
