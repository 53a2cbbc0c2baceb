import type { Claim } from '../base/claim.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import type { ShallotError } from '../base/errors.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { AgentEvent } from './events.ts';
import type { Answers, Interrupt } from './interrupt.ts';
import type { Message, ToolMessage } from './messages.ts';
import type { FinishReason, RunSettings, ToolChoice } from './model.ts';
import type { Outcome, StopReason } from './result.ts';
import type { Tool } from './tool.ts';
import type { RunUsage } from './usage.ts';

/** The number of the record format that this version writes. Older ones are read, newer ones refused. */
export const recordFormat = 1;

/** All that is kept of a session: plain JSON, never revived into classes. */
export interface SessionRecord {
  readonly format: number;
  readonly id: string;
  /** Grows with each commit; 0 means that the session does not exist yet. */
  readonly revision: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The caller's own array of frozen messages: it may be changed, and is not the store's any more. */
  readonly messages: Message[];
  /** Session-scoped plugin state: plugin id, then key. */
  readonly state: StateRecord;
  /** Entries of the unfinished step, by key: intents, raw and final results, results of `once`. */
  readonly journal: Readonly<Record<string, JournalEntry>>;
  /** The last run, finished or not. */
  readonly run?: RunRecord;
  /** The process that is working on the session. */
  readonly claim?: Claim;
}

export type StateRecord = Readonly<Record<string, Readonly<Record<string, StateEntry>>>>;

/** A value of plugin state, with the version of its shape. */
export interface StateEntry {
  readonly version: number;
  readonly value: JsonValue;
}

/**
 * What is known of an execution or of a `once`. `asked` is the call that the layers passed on, `done` the one that the
 * gates let through; each is absent when it is the call as the model wrote it (`asked`), or the same as `asked` (`done`).
 */
export type JournalEntry =
  | {
      readonly type: 'intent';
      readonly asked?: JournalledCall;
      readonly done?: JournalledCall;
      /** This execution's alone: what somebody says of one tells nothing of the next. */
      readonly id: string;
    }
  | {
      readonly type: 'raw';
      readonly asked?: JournalledCall;
      readonly done?: JournalledCall;
      /** As the gates let it out. */
      readonly result: JsonObject;
      /** The tool threw: what layers decide by is kept, not what it threw. */
      readonly failed?: JournalledFailure;
      /** The gates have not let it out yet: one of them asks about it. */
      readonly held?: true;
    }
  | { readonly type: 'final'; readonly message: ToolMessage; readonly failed?: true }
  | { readonly type: 'once'; readonly value: JsonValue };

/** What is known of an error that a tool threw. */
export interface JournalledFailure {
  /** Of a `ShallotError`. */
  readonly code?: ErrorCode;
  readonly transient?: true;
  /** In milliseconds since 1970. */
  readonly retryAt?: number;
}

export interface JournalledCall {
  readonly name: string;
  readonly input: JsonValue;
}

/** A run as it is stored: small, whatever the length of the conversation. */
export interface RunRecord {
  readonly id: string;
  readonly status: 'running' | Outcome;
  readonly stopReason?: StopReason;
  /** The number of the current step. */
  readonly step: number;
  readonly usage: RunUsage;
  /** The usage of the session's earlier runs. */
  readonly usageBefore: RunUsage;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Run-scoped plugin state: plugin id, then key. */
  readonly state: StateRecord;
  /** The plugins that were there: id → name, and version where it is known. */
  readonly plugins: Readonly<Record<string, { readonly name: string; readonly version?: string }>>;
  /** The id of the first message that this run added. */
  readonly firstMessage?: string;
  readonly position: RunPosition;
  /** Questions that are open. */
  readonly interrupts: readonly Interrupt[];
  /** Answers that were given but whose call has not come to its end. */
  readonly answers: Answers;
  /** The output schema of the run. */
  readonly output?: JsonObject;
  /** The run's `toolChoice`, and whether a tool was called since. */
  readonly toolChoice?: { readonly choice: ToolChoice; readonly met: boolean };
  /** The text that was streamed of an answer before an abort broke it off. */
  readonly shown?: string;
  /** The error of a failed run, or the reason why a run is parked. */
  readonly failure?: RunFailure;
  /** Set if the run was submitted without an agent: what a worker needs to execute it. */
  readonly submitted?: Submission;
  /** How often in a row a worker has resumed the run without reaching another step. Default: none. */
  readonly attempts?: {
    readonly count: number;
    /** When the next worker may try, in milliseconds since 1970. */
    readonly notBefore: number;
  };
  /** Workers leave the run alone until somebody resumes it. */
  readonly parked?: true;
}

/** What is stored of the error of a run. */
export interface RunFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly transient?: true;
  /** In milliseconds since 1970. */
  readonly retryAt?: number;
}

/** What was submitted with the input of a run. */
export interface Submission {
  readonly settings?: RunSettings;
  readonly metadata?: JsonObject;
  /** Store the deltas of the current step for followers in other processes, where the store can. */
  readonly stream?: true;
  /** No worker has taken the run yet. */
  readonly isNew?: true;
}

/** The point at which a run continues. */
export type RunPosition =
  /** `tap` is the `beforeAgent` tap that was under way when something was committed: those before it are through. */
  | { readonly at: 'input'; readonly input: readonly Message[]; readonly tap?: string }
  /** `begun`: the step of that number has begun, else the next one is to. */
  | { readonly at: 'step'; readonly begun?: true }
  /** A `beforeModel` tap asked: `value` is the request it had. */
  | { readonly at: 'beforeModel'; readonly tap: string; readonly value: JsonObject }
  /** The model has answered; `afterModel` is not through. `tap` is the one that asked. */
  | {
      readonly at: 'afterModel';
      readonly tap?: string;
      readonly value: JsonObject;
      readonly offered: readonly OfferedTool[];
      /** The model's own answer was empty. */
      readonly empty?: true;
      /** What `again` was called with by the taps before. */
      readonly more?: readonly Message[];
    }
  /** The model's turn is committed; its calls are being executed. Only the offered tools may be. */
  | { readonly at: 'tools'; readonly offered: readonly OfferedTool[] }
  /** Nothing is left but `afterAgent` and the end. `message`: the id of the answer, or of the failed call's result. */
  | { readonly at: 'end'; readonly message?: string; readonly finish?: FinishReason };

/** A tool that a request offered. A run that goes on executes exactly that one, or none. */
export interface OfferedTool {
  /** The name that it was offered under. */
  readonly name: string;
  /** The plugin that registered it, or else put it into the request; absent for the agent's own. */
  readonly plugin?: string;
  /** The name that it was registered under, if that is another one. */
  readonly registeredAs?: string;
  /** What the request says otherwise of it. */
  readonly changed?: Partial<Pick<Tool, 'description' | 'inputSchema' | 'returnDirectly' | 'effect'>>;
}

/** One change of a session; missing members stay unchanged. */
export interface SessionChange {
  readonly append?: readonly Message[];
  /** Applied before `append`: the messages from `from` up to, not including, `to` become others. */
  readonly replace?: readonly {
    readonly from: number;
    readonly to: number;
    readonly messages: readonly Message[];
  }[];
  /** Merged: plugin id, then key. `null` removes an entry. */
  readonly state?: Readonly<Record<string, Readonly<Record<string, StateEntry | null>>>>;
  /** Merged by key; `null` removes an entry. */
  readonly journal?: Readonly<Record<string, JournalEntry | null>>;
  readonly run?: RunRecord;
  readonly claim?: Claim | null;
}

export interface SessionSummary {
  readonly id: string;
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly messages: number;
  /** The status of the last run; `parked` if workers leave it alone. */
  readonly status?: SessionStatus;
  /** The number of open questions. */
  readonly interrupts: number;
  /** The stored session is corrupt. The other members are meaningless, and `load` throws `STORE_DAMAGED`. */
  readonly damaged?: true;
}

export type SessionStatus = RunRecord['status'] | 'parked';

export interface SessionFilter {
  /** Only the session with this id. */
  readonly id?: string;
  readonly status?: SessionStatus;
  /**
   * Only sessions that a worker may resume now, the longest waiting first: an unfinished run without a live claim, an
   * interrupted one whose questions are all answered, a submitted one that failed for a transient reason.
   */
  readonly resumable?: true;
  /** Only sessions whose id begins with this. */
  readonly prefix?: string;
}

/**
 * Keeps sessions. Rejections are `ShallotError`s whose code starts with `STORE_`. Session ids are any strings, used
 * literally.
 */
export interface Store {
  /** What is to be said when an agent starts on it: in its log, and in its `warnings`. */
  readonly warnings?: readonly ShallotError[];
  /** Undefined when there is no such session. @throws `STORE_FORMAT` for a record of a newer format */
  load(sessionId: string): Promise<SessionRecord | undefined>;
  /**
   * Applies a change, wholly or not at all, if the session still has this revision (0: if it is not there yet), and
   * gives the next revision: a larger whole number, which this session id has never had, not even before the session was
   * deleted and begun anew. The cost does not grow with the history. @throws `STORE_CONFLICT`
   */
  commit(sessionId: string, revision: number, change: SessionChange): Promise<number>;
  /**
   * Prolongs a claim without a new revision. Returns false when the claim is not the session's any more, and `stop` if
   * it is, and somebody has called `requestStop`.
   */
  renew(sessionId: string, claim: Claim): Promise<boolean | 'stop'>;
  /**
   * Marks the unfinished run of a session to be stopped, without a new revision. The holder of the claim learns it from
   * `renew`; a run that nobody holds is not resumable for workers any more. The next claim removes the mark. Returns
   * whether there is an unfinished run.
   */
  requestStop(sessionId: string): Promise<boolean>;
  /** Most recently changed first, unless `resumable` is set. A damaged session is listed as such if that is known, and does not hide others. */
  list(filter?: SessionFilter): AsyncIterable<SessionSummary>;
  /** Returns whether the session existed. */
  delete(sessionId: string): Promise<boolean>;
  /** Copies all sessions, as they are at one moment, to a new file. @throws `STORE_FAILED` when there is one already */
  backup?(file: string): Promise<void>;
  /**
   * Calls the listener soon after each commit of a session, by whatever process, and perhaps more often. Returns what
   * ends that. Without it, followers look at intervals.
   */
  watch?(sessionId: string, listener: () => void): Promise<() => void>;
  /**
   * Keeps events of the current step for followers in other processes, until a commit adds messages or gives the session
   * up. They may arrive after that commit: followers know what is out of date.
   */
  publish?(sessionId: string, events: LiveEvents): Promise<void>;
  /** Returns what `publish` keeps of a session, each with a growing number. Those up to `after` are left out. */
  published?(sessionId: string, after: number): Promise<readonly PublishedEvents[]>;
  /** Creates what the store needs, or brings it to the version of this program. Resolves to the version before and after. */
  migrate?(): Promise<{ readonly from: number; readonly to: number }>;
  close?(): Promise<void>;
}

/** Events of a step that is not committed. */
export interface LiveEvents {
  readonly runId: string;
  readonly step: number;
  /** `model` until the answer of the model is committed, then `tools`. */
  readonly phase: 'model' | 'tools';
  readonly events: readonly AgentEvent[];
}

/** Events that were published together. */
export interface PublishedEvents extends LiveEvents {
  readonly number: number;
}
