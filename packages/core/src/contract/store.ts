import type { CallAddress } from '../base/address.ts';
import type { Claim } from '../base/claim.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import type { ShallotError } from '../base/errors.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { AgentEvent } from './events.ts';
import type { AnswerNote, Answers, Interrupt } from './interrupt.ts';
import type { AssistantMessage, Message, ToolMessage } from './messages.ts';
import type { FinishReason, RunSettings, ToolChoice } from './model.ts';
import type { Outcome, StopReason } from './result.ts';
import type { Tool } from './tool.ts';
import type { RunUsage } from './usage.ts';
import type { InboxEntry, InboxFilter, InboxNews } from './work/inbox.ts';

/** The record format that this version writes. It reads older formats, and rejects newer ones. */
export const recordFormat = 2;

/** The stored data of a session: plain JSON, never revived into classes. */
export interface SessionRecord {
  readonly format: number;
  readonly id: string;
  /** Increases with each commit; 0 means that the session does not exist yet. */
  readonly revision: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** A new array of frozen messages, owned by the caller. */
  readonly messages: Message[];
  /** Session-scoped plugin state, by plugin id and key. */
  readonly state: StateRecord;
  /** Entries of the unfinished step, by key: intents, raw and final results, results of `once`. */
  readonly journal: Readonly<Record<string, JournalEntry>>;
  /** The last run, finished or not. */
  readonly run?: RunRecord;
  /** The claim of the process that works on the session; it may have expired. */
  readonly claim?: Claim;
  /** True if somebody has requested a stop of the run, which nobody has carried out yet. */
  readonly stopRequested?: true;
  /** Undefined if empty. */
  readonly about?: SessionAbout;
}

/** All of a session but its messages. */
export type SessionHead = Omit<SessionRecord, 'messages'>;

/** Metadata of a session: plain JSON of less than 1 kB, which listings contain. */
export interface SessionAbout {
  /** The application's name for the user or tenant that the session belongs to. It never changes. */
  readonly owner?: string;
  /** For people. `setTitle` changes it. */
  readonly title?: string;
  /** The directory that the session is about. */
  readonly cwd?: string;
  /** The model that a person chose for the session, named as in a config. */
  readonly modelName?: string;
  /** The id of the session whose run began this one. */
  readonly parent?: string;
  /**
   * For a child run: the id of the session whose run is the root of the tree. Only the root is resumed and answered, and
   * deleting it deletes its children.
   */
  readonly root?: string;
  /**
   * The files, and the directories with a trailing `/`, that belong only to this session. Deleting the session removes
   * them.
   */
  readonly files?: readonly string[];
}

/** The state that plugins keep in a session: by plugin id, then by key. */
export type StateRecord = Readonly<Record<string, Readonly<Record<string, StateEntry>>>>;

/** A value of plugin state, with the version of its shape. */
export interface StateEntry {
  readonly version: number;
  readonly value: JsonValue;
  /** The `onFork` of the plugin's declaration, stored because a session is forked without its plugins. */
  readonly onFork?: 'keep' | 'begin-again';
}

/**
 * An entry for an execution or a `once`. `asked` is the call that the layers passed on, omitted if it equals the model's
 * call; `done` is the call that the gates passed on, omitted if it equals `asked`.
 */
export type JournalEntry =
  | {
      readonly type: 'intent';
      readonly asked?: JournalledCall;
      readonly done?: JournalledCall;
      /** Unique per execution, so that an answer about one does not apply to the next. */
      readonly id: string;
    }
  | {
      readonly type: 'raw';
      readonly asked?: JournalledCall;
      readonly done?: JournalledCall;
      /** The result as the gates returned it or, with `held`, as they received it. */
      readonly result: JsonObject;
      /** Set if the tool threw: the parts of the error that layers use. */
      readonly failed?: JournalledFailure;
      /** True while the gates have not decided on the result, for example because one of them asks about it. */
      readonly held?: true;
    }
  | { readonly type: 'final'; readonly message: ToolMessage; readonly failed?: true }
  | { readonly type: 'once'; readonly value: JsonValue };

/** The record of an error that a tool threw. */
export interface JournalledFailure {
  /** The code, for a `ShallotError`. */
  readonly code?: ErrorCode;
  readonly transient?: true;
  /** In milliseconds since 1970. */
  readonly retryAt?: number;
}

/** A tool call as the journal keeps it. */
export interface JournalledCall {
  readonly name: string;
  readonly input: JsonValue;
}

/** The plugins of an agent: id → name, and version if known. */
export type ConfiguredPlugins = Readonly<
  Record<string, { readonly name: string; readonly version?: string }>
>;

/** The stored data of a run: small, independent of the length of the conversation. */
export interface RunRecord {
  readonly id: string;
  readonly status: 'running' | Outcome;
  /** The agent that the run is for. Absent if it was submitted or begun without one that has a name. */
  readonly agent?: RunAgent;
  readonly stopReason?: StopReason;
  /** The number of the current step. */
  readonly step: number;
  readonly usage: RunUsage;
  /** The usage of the session's earlier runs. */
  readonly usageBefore: RunUsage;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Run-scoped plugin state, by plugin id and key. */
  readonly state: StateRecord;
  /** The configured plugins, in records of format 1; later ones have them in the state of the session. */
  readonly plugins?: ConfiguredPlugins;
  /** The id of the first message that this run added. */
  readonly firstMessage?: string;
  readonly position: RunPosition;
  /** The arguments of `end`, until the run has ended; a resume applies them. */
  readonly ending?: {
    readonly reason: 'ended' | 'limit';
    /** The answer that the plugin gave, as the run's last message. */
    readonly message?: AssistantMessage;
    /** The id of the plugin that called it. */
    readonly plugin: string;
  };
  /** For a child run: the tool call that began it. */
  readonly parent?: CallAddress;
  /** The child runs of this one; absent if there are none. */
  readonly children?: {
    /** The number of children that it has begun. */
    readonly begun: number;
    /** The usage of the run itself, without its children. */
    readonly own: RunUsage;
    /** By session: the usage of the children whose calls are in progress. */
    readonly usage: Readonly<Record<string, RunUsage>>;
    /** Children in the background whose end the model has not been told of; absent if there are none. */
    readonly background?: readonly BegunChildren[];
  };
  /** The questions whose call or hook has not continued yet. Those that `answers` does not contain are open. */
  readonly interrupts: readonly Interrupt[];
  /** The answers that are still needed: their call has not ended, or no message records them yet. */
  readonly answers: Answers;
  /** Records of who gave the answers, by interrupt id. Absent if there are none. */
  readonly answered?: Readonly<Record<string, AnswerNote>>;
  /** The output schema of the run. */
  readonly output?: JsonObject;
  /** The run's `toolChoice`, and whether a tool has been called since. */
  readonly toolChoice?: { readonly choice: ToolChoice; readonly met: boolean };
  /** The streamed text of a response that an abort interrupted. */
  readonly shown?: string;
  /** The error of a failed run, or of the last attempt of a worker to resume it. */
  readonly failure?: RunFailure;
  /** Set if the run was submitted: the data that a worker needs. */
  readonly submitted?: Submission;
  /** The consecutive resumes by workers that did not reach another step. Absent if there are none. */
  readonly attempts?: {
    /** The number of these resumes that failed. */
    readonly count: number;
    /** The number of these resumes whose process died, for any reason. Default: 0. */
    readonly deaths?: number;
    /** The earliest time for the next worker, in milliseconds since 1970. */
    readonly notBefore: number;
  };
  /** True if workers ignore the run until someone resumes it. */
  readonly parked?: true;
}

/** The agent that a run belongs to. */
export interface RunAgent {
  /** The agent's `id`, or else its `name`. */
  readonly id: string;
  /** The version of the agent that last worked on the run, if it has one. */
  readonly version?: string;
}

/** The stored error of a run. */
export interface RunFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly transient?: true;
  /** In milliseconds since 1970. */
  readonly retryAt?: number;
}

/** The settings submitted with the input of a run. */
export interface Submission {
  readonly settings?: RunSettings;
  readonly metadata?: JsonObject;
  /** Stores the deltas of the current step for followers in other processes, if the store supports it. */
  readonly stream?: true;
  /** The place in a trace that the run was submitted from, as `traceparent` of W3C Trace Context. */
  readonly traceparent?: string;
  /** True until a worker resumes the run. */
  readonly isNew?: true;
  /**
   * True if the input has passed the taps on the input, or `prepare`. Otherwise the executing agent applies the taps.
   */
  readonly prepared?: true;
}

/**
 * The position within a before or after hook, by keys of its taps. The taps before it are done; without members, none
 * are.
 */
export interface HookStanding {
  /** The current tap. */
  readonly tap?: string;
  /**
   * The taps after it: they determine where the run continues if `tap` no longer exists. Without `tap`, all remaining
   * taps.
   */
  readonly rest?: readonly string[];
}

/** The position at which a run continues. */
export type RunPosition =
  /** In `beforeAgent`: `input` is the value that the current tap received. */
  | (HookStanding & { readonly at: 'input'; readonly input: readonly Message[] })
  /** `begun`: the current step has begun; otherwise the next one begins. */
  | { readonly at: 'step'; readonly begun?: true }
  /** A `beforeModel` tap asked a question: `value` is the request that it received. */
  | { readonly at: 'beforeModel'; readonly tap: string; readonly value: JsonObject }
  /** `beforeModel` is done, and has changed the messages: `value` is the request of the step. */
  | { readonly at: 'wrapModelCall'; readonly value: JsonObject }
  /** The model has answered: `value` is the response that the current tap received, or that all taps returned. */
  | (HookStanding & {
      readonly at: 'afterModel';
      readonly value: JsonObject;
      readonly offered: readonly OfferedTool[];
      /** True if the model's own response was empty. */
      readonly empty?: true;
      /** For an empty response: the request to send again, if `beforeModel` has changed the messages. */
      readonly request?: JsonObject;
      /** The messages of `again` from the taps before. */
      readonly more?: readonly Message[];
    })
  /** The run has an answer, and waits for its children in the background. */
  | { readonly at: 'children' }
  /** The model's turn is committed, and its calls are being executed. Only the offered tools may be executed. */
  | { readonly at: 'tools'; readonly offered: readonly OfferedTool[] }
  /** Only `afterAgent` and the end remain. `message`: the id of the answer, or of the failed call's result. */
  | { readonly at: 'end'; readonly message?: string; readonly finish?: FinishReason };

/** The children in the background that one step began. */
export interface BegunChildren {
  readonly step: number;
  /** The tools that were offered in that step: a child has these, or fewer. */
  readonly offered: readonly OfferedTool[];
  /** By session: the call that began the child, the tool of that call by its name in the request, and the agent. */
  readonly children: Readonly<
    Record<string, { readonly callId: string; readonly tool: string; readonly agent: string }>
  >;
}

/** A tool that a request offered. A resumed run executes exactly this tool, or none. */
export interface OfferedTool {
  /** The name in the request. */
  readonly name: string;
  /** The plugin that registered it, or else added it to the request; undefined for the agent's own tools. */
  readonly plugin?: string;
  /** The name in the registry, if it differs. */
  readonly registeredAs?: string;
  /** The members that the request changed. */
  readonly changed?: Partial<Pick<Tool, 'description' | 'inputSchema' | 'returnDirectly' | 'effect'>>;
}

/** A change of a session; missing members stay unchanged. */
export interface SessionChange {
  readonly append?: readonly Message[];
  /** Applied before `append`: replaces the messages from `from` up to, not including, `to`. */
  readonly replace?: readonly {
    readonly from: number;
    readonly to: number;
    readonly messages: readonly Message[];
  }[];
  /** Merged by plugin id and key. `null` removes an entry. */
  readonly state?: Readonly<Record<string, Readonly<Record<string, StateEntry | null>>>>;
  /** Merged by key; `null` removes an entry. */
  readonly journal?: Readonly<Record<string, JournalEntry | null>>;
  readonly run?: RunRecord;
  readonly claim?: Claim | null;
  /** Replaces the session's notes, except for an existing title, which stays. */
  readonly about?: SessionAbout;
  /** The ids of entries that leave the inbox with this commit; unknown ids are ignored. */
  readonly taken?: readonly string[];
}

/** An entry of a listing. Times are in milliseconds since 1970; `messages` is their number. */
export interface SessionSummary {
  readonly id: string;
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly messages: number;
  /** The status of the last run; `parked` if workers ignore it. */
  readonly status?: SessionStatus;
  /** The number of open questions. */
  readonly interrupts: number;
  /** The agent of the last run, if it names one. */
  readonly agent?: RunAgent;
  readonly about?: SessionAbout;
  /** As in the record. A worker aborts such a run instead of resuming it. */
  readonly stopRequested?: true;
  /** The value for `after` of a listing with the same filter. */
  readonly cursor?: string;
  /**
   * True if the stored session is corrupt. The other members are then meaningless, and `load` throws `STORE_DAMAGED`.
   */
  readonly damaged?: true;
}

/** The status of a session: that of its last run, or `parked`. */
export type SessionStatus = RunRecord['status'] | 'parked';

/**
 * Selects sessions for `list`; every member that is set must match. Sessions of child runs are listed only by `id` or
 * `parent`, and never as `resumable`.
 */
export interface SessionFilter {
  /** Only the session with this id. */
  readonly id?: string;
  readonly status?: SessionStatus;
  /**
   * Only sessions that a worker may resume now, ordered by due time: with an unfinished run without a live claim, an
   * interrupted run with all questions of one of its calls answered, or a submitted run that failed for a transient reason.
   */
  readonly resumable?: true;
  /** Only sessions whose id begins with this, in the order of the ids. */
  readonly prefix?: string;
  /** Only sessions whose last run is for this agent; with `resumable`, runs that name no agent too. */
  readonly agent?: string;
  /** Only sessions with this owner in their notes. */
  readonly owner?: string;
  /** Only sessions that a run of this session began. */
  readonly parent?: string;
  /** Only sessions with this title. */
  readonly title?: string;
  /** The maximum number of sessions. Default: all. */
  readonly limit?: number;
  /** Continues a listing with the same filter after the session with this `cursor`. */
  readonly after?: string;
}

/**
 * Stores sessions. Rejections are `ShallotError`s with codes that begin with `STORE_`. Session ids are arbitrary
 * strings, used literally.
 */
export interface Store {
  /** True if no other process can open the store. */
  readonly isLocal?: true;
  /** Warnings for agents that use the store: for their log, and their `warnings`. */
  readonly warnings?: readonly ShallotError[];
  /** Loads a session; undefined if it does not exist. @throws `STORE_FORMAT` for a record of a newer format */
  load(sessionId: string): Promise<SessionRecord | undefined>;
  /** Loads all but the messages, at a cost that does not grow with them. Without it, the whole session is loaded. */
  head?(sessionId: string): Promise<SessionHead | undefined>;
  /**
   * Returns the message with this id and those after it, with the revision that they belong to; undefined if there is no
   * such message. The cost grows only with what is returned. Without it, the whole session is loaded.
   */
  messagesFrom?(sessionId: string, messageId: string): Promise<MessagesFrom | undefined>;
  /**
   * Applies a change atomically if the session has this revision (0: if it does not exist), and returns the next
   * revision: a larger integer that this session id never had, not even before it was deleted and created again. The
   * cost must not grow with the history. @throws `STORE_CONFLICT`
   */
  commit(sessionId: string, revision: number, change: SessionChange): Promise<number>;
  /**
   * Extends a claim without a new revision. Returns false if another claim replaced it, and `stop` if a stop was
   * requested.
   */
  renew(sessionId: string, claim: Claim): Promise<boolean | 'stop'>;
  /**
   * Requests a stop of a session's unfinished run, without a new revision. The holder of the claim learns of it from
   * `renew`; workers abort a run without a holder. A claim by another process, another run and the end of the run remove
   * the request; see `keepsStop`. Returns false if there is no unfinished run.
   */
  requestStop(sessionId: string): Promise<boolean>;
  /**
   * Calls the listener soon after `requestStop` (`stop`) and `send` (`sent`) in any process; it may be called more often.
   * Returns a function that stops this. Without `watchInbox`, the process of a run learns of both when it renews its
   * claim, and of messages before each model call.
   */
  watchInbox?(sessionId: string, listener: (news: InboxNews) => void): () => void;
  /**
   * Leaves an entry for the process that executes the last run of a session, without a new revision. Returns false, and
   * leaves nothing, unless that run is running or waits for answers, and is not parked. An entry whose id is already in
   * the inbox is not added again.
   * Without `send`, `inbox` and `unsend`, nothing can be sent to a run. @throws `INBOX_FULL`
   */
  send?(sessionId: string, entry: InboxEntry): Promise<boolean>;
  /** Returns entries of the inbox in the order in which they were sent; an empty list if there is no such session. */
  inbox?(sessionId: string, filter?: InboxFilter): Promise<readonly InboxEntry[]>;
  /** Removes an entry. Returns false if it is not in the inbox, or is held. */
  unsend?(sessionId: string, id: string): Promise<boolean>;
  /**
   * Sets the title of a session, without a new revision. Returns false if it does not exist. Without this method,
   * `setTitle` commits the session's notes again.
   */
  setTitle?(sessionId: string, title: string): Promise<boolean>;
  /**
   * Lists sessions, the most recently changed first unless `resumable` or `prefix` is set. Commits in the middle of a run
   * need not count as changes. A session that is known to be damaged is listed with `damaged`, and does not hide others.
   */
  list(filter?: SessionFilter): AsyncIterable<SessionSummary>;
  /**
   * Takes up to `count` sessions that a worker may resume now, in one step: other workers do not get them before the next
   * claim, or for some seconds. Half of them are runs that no worker has begun, so that other runs cannot keep these
   * waiting. Without this method, workers list sessions, and compete for them.
   */
  takeResumable?(count: number, filter?: TakeFilter): Promise<readonly SessionSummary[]>;
  /**
   * Deletes the store's data of a session and of its child runs in one step, but not their files: see `deleteSession`.
   * Returns false if the session did not exist. @throws `STORE_CONFLICT` if its revision is not `ifRevision`
   */
  delete(sessionId: string, options?: DeleteOptions): Promise<boolean>;
  /** Copies all sessions, in a consistent state, to a new file. @throws `STORE_FAILED` if the file exists */
  backup?(file: string): Promise<void>;
  /**
   * Calls the listener soon after each commit of a session by any process; it may be called more often. Returns a
   * function that stops this. Without `watch`, followers poll.
   */
  watch?(sessionId: string, listener: () => void): Promise<() => void>;
  /**
   * Publishes events of the current step for followers in other processes, until a commit adds messages or releases the
   * session. Events may arrive after that commit; followers ignore those that are outdated.
   */
  publish?(sessionId: string, events: LiveEvents): Promise<void>;
  /** Returns the published events of a session after number `after`, with increasing numbers. */
  published?(sessionId: string, after: number): Promise<readonly PublishedEvents[]>;
  /**
   * Creates the store's tables or files, or migrates them to the version of this program. Resolves to the version
   * before and after.
   */
  migrate?(): Promise<{ readonly from: number; readonly to: number }>;
  /** Returns the statements that give a role of the database the rights to this store, for its owner to execute. */
  grants?(role: string, rights: StoreRights): string;
  /** Returns the numbers of sessions, for operators. Without this method, `storeStats` counts the listed sessions. */
  stats?(): Promise<StoreStats>;
  /**
   * Asks for a duty that only one of all processes performs, once per period. `terms` describes how this process would
   * perform it. A process gets the duty only if its terms were first stated at least a 24th of the period ago, so that
   * other processes have time to state theirs. Without this method, workers refuse `keep`.
   */
  takeDuty?(duty: string, terms: string, periodMs: number): Promise<DutyTaken>;
  close?(): Promise<void>;
}

/** Selects the sessions that a worker takes, like `list({ resumable: true })`. */
export interface TakeFilter extends Pick<SessionFilter, 'agent' | 'owner' | 'parent' | 'status'> {
  /** Leaves out runs that another version of the agent has begun. */
  readonly version?: string;
  /** The ids of sessions to leave out. */
  readonly except?: readonly string[];
}

/** The answer to a process that asks for a duty. */
export interface DutyTaken {
  /** True if this process has to perform the duty. */
  readonly isTaken: boolean;
  /** The terms of all processes that asked for the duty in the last two periods, including this one. */
  readonly terms: readonly string[];
}

/** The rights of a role: of workers, of programs that submit, answer and follow, or of those that only read. */
export type StoreRights = 'work' | 'submit' | 'read';

/** The numbers of a store's sessions, for operators. */
export interface StoreStats {
  /** The number of sessions by the status of their last run. */
  readonly sessions: Readonly<Partial<Record<SessionStatus, number>>>;
  /** The number of sessions found to be corrupt. */
  readonly damaged: number;
  /** Runs that a worker may take now, by agent, version and owner; those that have waited longest come first. */
  readonly waiting: readonly WaitingRuns[];
  /** The number of sessions with a live claim, by the process that holds it. */
  readonly running: readonly { readonly host: string; readonly pid: number; readonly count: number }[];
  /** Parked runs, by the code of their error. */
  readonly parked: readonly { readonly reason: string; readonly count: number }[];
}

/** Runs that wait for a worker. */
export interface WaitingRuns {
  /** The agent that the runs are for; absent for any. */
  readonly agent?: string;
  readonly version?: string;
  readonly owner?: string;
  readonly count: number;
  /** The time that the oldest has waited, in milliseconds. */
  readonly oldestMs: number;
}

/** The last messages of a session. */
export interface MessagesFrom {
  readonly revision: number;
  readonly messages: readonly Message[];
}

/** Options of `delete` of a store. */
export interface DeleteOptions {
  /** Deletes only if the session still has this revision. Default: any. */
  readonly ifRevision?: number;
}

/** Events of an uncommitted step. */
export interface LiveEvents {
  readonly runId: string;
  readonly step: number;
  /** `model` until the model's turn is committed, then `tools`. */
  readonly phase: 'model' | 'tools';
  readonly events: readonly AgentEvent[];
}

/** Events that were published together. */
export interface PublishedEvents extends LiveEvents {
  readonly number: number;
}
