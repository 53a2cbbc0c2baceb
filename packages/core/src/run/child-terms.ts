import type { CallAddress } from '../base/address.ts';
import type { AnySchema } from '../base/schema.ts';
import type { Interrupt } from '../contract/interrupt.ts';
import type { Input } from '../contract/messages.ts';
import type { FinishReason } from '../contract/model.ts';
import type { RunResult, StopReason } from '../contract/result.ts';
import type { StateEntry } from '../contract/store.ts';
import type { RunUsage } from '../contract/usage.ts';
import type { Frame } from '../hooks/frame.ts';
import type { LiveSession } from '../sessions/live/live-session.ts';
import type { GivenTo } from '../sessions/questions/questions.ts';
import type { AgentParts } from './agent-parts.ts';
import type { Listener } from './event-stream.ts';

/** The state of the run at the root of a tree, which the runs below it share. */
export interface TreeState {
  stateEntry(plugin: string, key: string, scope: 'session' | 'run'): StateEntry | undefined;
  setState(plugin: string, key: string, scope: 'session' | 'run', entry: StateEntry): void;
}

/** The run around a child, as far as the child needs it. */
export interface ParentRun {
  /** The tool call that began the child. */
  readonly call: CallAddress;
  readonly session: LiveSession;
  readonly root: TreeState;
  /** The id of the root's session. */
  readonly rootId: string;
  /** True if the parent ends after its current step; its children then end after theirs. */
  readonly isStopping: boolean;
  /** Sets the usage of a child, and commits it with the parent's record. `hasResult`: it has ended with one. */
  noteUsage(childId: string, usage: RunUsage, hasResult?: boolean): void;
}

/** A child run to begin, or to continue from its stored position. */
export interface ChildTerms {
  readonly parts: AgentParts;
  readonly session: ChildSession;
  readonly task: ChildTask;
  readonly caller: ChildCaller;
  readonly parent: ParentRun;
  /** The answers given to the parent, which include those to the child's questions. */
  readonly given: GivenTo;
}

/** The session of a child. */
export interface ChildSession {
  readonly id: string;
  /** True if the session must exist, because the parent's record contains the child's work. */
  readonly isKnown: boolean;
}

/** The work of a child. */
export interface ChildTask {
  readonly input: Input;
  /** The schema of the answer. */
  readonly output: AnySchema | undefined;
  readonly context: unknown;
}

/** The code that runs a child. */
export interface ChildCaller {
  readonly listener: Listener | undefined;
  /** Closed to abort the child; settled with it. */
  readonly frame: Frame;
}

/** The end of a child that was found in the store, so that it is not run again. */
export interface FinishedChild {
  readonly text: string;
  readonly stopReason: StopReason;
  readonly finish: FinishReason | undefined;
  readonly usage: RunUsage;
  readonly steps: number;
}

/** The outcome of an attempt at a child. */
export type ChildEnd =
  | { readonly finished: FinishedChild }
  /** The child waits for answers, and was given none. */
  | { readonly waiting: readonly Interrupt[]; readonly usage: RunUsage }
  | { readonly result: RunResult };

/** Executes child runs. */
export interface ChildRuns {
  /** Stores a new child with its input, for `runChild`; nothing if its call has begun it before. @throws `CHILD_REFUSED` */
  storeChild(child: ChildTerms): Promise<void>;
  /** Begins a child, or continues it, and runs it. @throws the error that prevents its beginning */
  runChild(child: ChildTerms): Promise<ChildEnd>;
}

/** The number of calls around a run: 1 for a child of the root. */
export function depthOf({ parent }: CallAddress): number {
  return parent === undefined ? 1 : depthOf(parent) + 1;
}
