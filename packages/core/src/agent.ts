import type { ShallotError } from './base/errors.ts';
import type { HookName } from './base/hook-names.ts';
import type { AnySchema, SchemaOutput } from './base/schema.ts';
import type { AgentIdentity } from './contract/agent-identity.ts';
import type { AgentOptions, ResumeOptions, RunOptions } from './contract/agent-options.ts';
import type { LayerInfo } from './contract/hooks.ts';
import type { Answers, Interrupt } from './contract/interrupt.ts';
import type { Input, Message, MessageInput } from './contract/messages.ts';
import type { ChatModel } from './contract/model.ts';
import type { PermissionEvaluator } from './contract/permissions/permission-evaluator.ts';
import type { Plugin, PluginDetails, PluginInfo, PluginPlacement } from './contract/plugin.ts';
import type { RunResult } from './contract/result.ts';
import type { UserCommand } from './contract/services/user-command.ts';
import type { DeleteOptions, RunRecord, StateRecord } from './contract/store.ts';
import type { Tool, AddToolOptions } from './contract/tool.ts';
import type { RunUsage } from './contract/usage.ts';
import type { Redactor } from './redact/redactor.ts';
import type { RunStream } from './run/event-stream.ts';
import type { Deletion } from './sessions/deletion/delete-session.ts';
import type { ForOwner } from './sessions/stores/for-owner.ts';
import type { ForkedSession, ForkOptions } from './workers/fork-session.ts';
import type { SendOptions } from './workers/send-message.ts';
import type { AgentSubmitOptions } from './workers/submit-run.ts';
import type { WorkOptions } from './workers/work-options.ts';

/** The contents and status of a session. */
export interface SessionView {
  readonly id: string;
  readonly messages: readonly Message[];
  readonly interrupts: readonly Interrupt[];
  /** Session-scoped plugin state, by plugin id and key. */
  readonly state: StateRecord;
  /** The usage of all runs of the session. */
  readonly usage: RunUsage;
  /** The status of the last run; undefined before the first. */
  readonly status: RunRecord['status'] | undefined;
  /** True if the last run can be resumed. */
  readonly resumable: boolean;
}

/** The options of the run for which commands are listed. */
export type CommandsOptions<Context> = Pick<RunOptions<Context>, 'sessionId' | 'context'>;

export interface AgentDeleteOptions<Context> extends DeleteOptions, ForOwner {
  /** The context of the runs whose files are removed, for agents with separate files per run. */
  readonly context?: Context;
}

export interface AgentForkOptions<Context> extends Omit<ForkOptions, 'files'> {
  /** The context of the runs whose files are copied, for agents with separate files per run. */
  readonly context?: Context;
}

export interface CloseOptions {
  /**
   * `abort` ends the runs in progress; `finish` waits for them first, and the time limit begins after the last one. In
   * either case no run can begin. After `finish`, another call with `abort` ends the runs after all. Default: `abort`.
   */
  readonly runs?: 'abort' | 'finish';
  /** Default: the agent's `closeTimeoutMs`. */
  readonly timeoutMs?: number;
}

/** A model, instructions, tools and plugins, ready to run. Created by `createAgent`. */
export interface Agent<Context = unknown> extends AgentIdentity, AsyncDisposable {
  readonly model: ChatModel;
  /** Replaces the secrets that the agent knows, for programs that show errors, warnings and plugin events. */
  readonly redactor: Redactor;
  /** The plugins in the order of execution, outermost first. Each access returns a copy of the list. */
  readonly plugins: readonly PluginInfo[];
  readonly tools: {
    /**
     * Adds tools of the agent's own, from the next step on. @returns a function that removes them @throws
     * `TOOL_DUPLICATE`, `TOOL_INVALID`, `AGENT_CLOSED`
     */
    readonly add: (tools: Tool | readonly Tool[], options?: AddToolOptions) => () => void;
    /** Returns a copy of the tools that requests offer by default. */
    readonly list: () => readonly Tool[];
  };
  /** The warnings of the store, and the errors of optional plugins that were left out. */
  readonly warnings: readonly ShallotError[];
  /**
   * Runs the agent on an input, until the run ends or is interrupted. A run that fails or is aborted rejects with a
   * `ShallotError` that has the `result`. If the run cannot begin, rejects before anything has run, for example with
   * `SESSION_BUSY`, `SESSION_INTERRUPTED`, `SESSION_UNFINISHED` or `STORE_CONFLICT`.
   */
  run<S extends AnySchema = never>(
    input: Input,
    options?: RunOptions<Context, S>,
  ): Promise<RunResult<SchemaOutput<S>>>;
  /** Runs the agent like `run`, and streams its events. Leaving the iteration aborts the run. */
  stream<S extends AnySchema = never>(
    input: Input,
    options?: RunOptions<Context, S>,
  ): RunStream<SchemaOutput<S>>;
  /**
   * Submits a run for workers: commits its input, after the taps on the input. Returns the ids of the session and the
   * run. @throws the error of a tap that rejects the input; `SESSION_INTERRUPTED`, `SESSION_UNFINISHED`, `STORE_CONFLICT`
   */
  submit(
    input: Input,
    options?: AgentSubmitOptions<Context>,
  ): Promise<{ readonly sessionId: string; readonly runId: string }>;
  /**
   * Continues an interrupted run, with answers by interrupt id, or an unfinished one: its process died, or it was
   * aborted or failed before its end. @throws `INTERRUPT_UNKNOWN`, `INTERRUPT_ANSWER`, `SESSION_NOT_FOUND`,
   * `SESSION_NOT_RESUMABLE`, `RUN_OF_ANOTHER_AGENT`, `PLUGIN_GONE`, `TOOL_GONE`, `STATE_VERSION` before anything has run
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
   * continues it. If this is the run's last step, the run ends normally. A run in another process learns of it within
   * some tens of milliseconds or, in a store without `watchInbox`, when it renews its claim, after a third of `claimMs`
   * at the latest; workers no longer resume a run that no process executes. Resolves to false if there is no unfinished
   * run. A child that is being executed ends in the same way, in any process, and its call gets an error as its result.
   * @throws `SESSION_OF_ANOTHER` if the session does not belong to `owner`, `SESSION_IS_CHILD` for a child that waits, or
   * that no process executes
   */
  stop(sessionId: string, options?: ForOwner): Promise<boolean>;
  /**
   * Sends a user message to the unfinished run of a session, in this or another process. Its next model call gets the
   * message; with `when: 'instead'`, the message replaces calls that have not begun; with `after-run`, it begins a run of
   * its own. Resolves to the id of the message; see `sendMessage`. @throws `SESSION_NOT_FOUND`, `SESSION_NOT_RUNNING`,
   * `SESSION_OF_ANOTHER`, `INBOX_FULL`
   */
  send(sessionId: string, message: string | MessageInput, options?: SendOptions): Promise<string>;
  /**
   * Withdraws a sent message. Resolves to false if it is not in the inbox, or a run is about to take it. @throws
   * `SESSION_OF_ANOTHER`
   */
  unsend(sessionId: string, messageId: string, options?: ForOwner): Promise<boolean>;
  /**
   * Works as a worker: resumes the runs that the store lists as resumable, including submitted ones, several in
   * parallel. Resolves once `signal` is aborted and no run is in progress.
   */
  work(options?: WorkOptions<Context>): Promise<void>;
  /** Adds a plugin. Runs in progress keep the hooks they began with. */
  use(plugin: Plugin, placement?: Omit<PluginPlacement, 'use'>): Promise<void>;
  /**
   * Removes a plugin by its id, with everything it registered. Resolves to false if there is none. @throws
   * `PLUGIN_REQUIRES` if another plugin requires it
   */
  remove(id: string): Promise<boolean>;
  /**
   * Creates another agent with these changes and the same plugins, set up again. Only the store and files are shared.
   */
  fork(changes?: Partial<AgentOptions<Context>>): Promise<Agent<Context>>;
  /** Returns the taps of each hook in the order of execution, with the reasons for their places. */
  layers(): Readonly<Record<HookName, readonly LayerInfo[]>>;
  /**
   * Returns the registrations of a plugin, and its options with defaults; undefined if there is no plugin with this id.
   */
  details(id: string): PluginDetails | undefined;
  /**
   * Returns the commands that users can call by name instead of sending a message, from all plugins that provide them.
   */
  commands(options?: CommandsOptions<Context>): Promise<readonly UserCommand[]>;
  /** Waits for the background work of plugins after the start, such as connecting. Resolves to the failures. */
  settled(): Promise<readonly ShallotError[]>;
  /** Returns the ids of the plugins that ask for approval of a tool's calls, always or under a condition. */
  askedBy(tool: string): readonly string[];
  /** The evaluator of the agent's permissions, from its approval plugin; undefined if it has none. */
  readonly permissions: PermissionEvaluator | undefined;
  /** Returns the contents and status of a session, or undefined if it does not exist. */
  session(sessionId: string): Promise<SessionView | undefined>;
  /**
   * Creates a session with the messages of another one, as `forkSession` of `@shallot/core/work` does, and with copies of
   * the large results that they name. @throws the errors of that function
   */
  forkSession(from: string, options?: AgentForkOptions<Context>): Promise<ForkedSession>;
  /**
   * Deletes a session with its record and the files that plugins keep for it. Resolves to undefined if there is no such
   * session. The result and the log contain the errors. @throws `SESSION_BUSY` while this agent works on it,
   * `STORE_CONFLICT` while another process does, or if it has changed; `SESSION_OF_ANOTHER`; `SESSION_FILES_LEFT` if a
   * file cannot be removed: the session is then kept
   */
  deleteSession(sessionId: string, options?: AgentDeleteOptions<Context>): Promise<Deletion | undefined>;
  /**
   * Aborts all runs or lets them finish, and stops the plugins, within `timeoutMs`. @throws `PLUGIN_STOP_FAILED`;
   * `CLOSE_TIMEOUT` with the names of what is still running; the error of `onClose`; `CLOSE_FAILED` for several errors
   */
  close(options?: CloseOptions): Promise<void>;
}
