import { ShallotError } from '../base/errors.ts';
import type { AgentEvent } from '../contract/events.ts';
import type { Interrupt } from '../contract/interrupt.ts';
import type { Message, ToolMessage } from '../contract/messages.ts';
import type { Outcome, StopReason } from '../contract/result.ts';
import type { RunFailure, RunRecord, Store } from '../contract/store.ts';
import { openInterrupts } from '../sessions/content/open-interrupts.ts';
import { quoteSession } from '../sessions/stores/commit-checks.ts';
import { dueAt } from '../sessions/stores/due-at.ts';
import { checkOwner, type ForOwner } from '../sessions/stores/for-owner.ts';
import { SessionWatch } from '../sessions/stores/session-watch.ts';
import { LiveFollower } from './live-follower.ts';
import { readNew } from './read-new.ts';

/** An event derived from a run's record. */
export type FollowedEvent =
  | { readonly type: 'message'; readonly message: Exclude<Message, ToolMessage> }
  | { readonly type: 'tool-end'; readonly message: ToolMessage }
  | { readonly type: 'interrupt'; readonly interrupt: Interrupt }
  /** An event of the step in progress, from `submitRun` with `stream`. `restart` discards those before it. */
  | { readonly type: 'live'; readonly event: AgentEvent }
  | {
      readonly type: 'run-end';
      readonly runId: string;
      /** Undefined if another run has begun in the session before this one was seen to end. */
      readonly outcome: Outcome | undefined;
      readonly stopReason?: StopReason;
      readonly failure?: RunFailure;
    };

/** Options of `followRun`. */
export interface FollowOptions extends ForOwner {
  /** The id of the last message that the follower received. Default: start at the beginning of the run. */
  readonly after?: string;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
  /** The polling interval, in milliseconds. Default: 500. */
  readonly intervalMs?: number;
}

/**
 * Follows the last run of a session from any process, through its stored record: messages, tool results, questions, and
 * the end. A run that waits for an answer has ended, too. A follower that lost its connection continues after the last
 * message it received; if that message was replaced, for example by a summary, the run is repeated from its beginning.
 * @throws `SESSION_NOT_FOUND`
 */
export async function* followRun(
  store: Store,
  sessionId: string,
  { after, signal, intervalMs = 500, owner }: FollowOptions = {},
): AsyncGenerator<FollowedEvent, void, void> {
  let seen: Seen = { runId: undefined, run: undefined, revision: -1, last: after };
  const live = new LiveFollower(store, sessionId);
  await using watch = await SessionWatch.of(store, sessionId);
  for (;;) {
    watch.begin();
    if ((await revisionOf(store, sessionId)) !== seen.revision) {
      const read = await readNew(store, sessionId, seen.runId, seen.last);
      const record = read?.head;
      if (read === undefined || record?.run === undefined) throw notFound(sessionId);
      checkOwner(record, { owner });
      const runId = seen.runId ?? record.run.id;
      const { messages } = read;
      for (const message of messages) yield eventOf(message);
      if (messages.length > 0) live.settle();
      seen = { runId, run: record.run, revision: record.revision, last: messages.at(-1)?.id ?? seen.last };
      const end = endOf(record.run, runId);
      if (end !== undefined) {
        if (end.runId === record.run.id)
          for (const interrupt of openInterrupts(record.run)) yield { type: 'interrupt', interrupt };
        yield end;
        return;
      }
    }
    const published = await live.look();
    if (published.length > 0 && seen.run !== undefined) {
      // Committed messages come before events of a later step.
      if ((await revisionOf(store, sessionId)) !== seen.revision) continue;
      for (const event of live.take(published, seen.run)) yield { type: 'live', event };
    }
    if (await watch.wait(intervalMs, signal)) return;
  }
}

/** The messages and results that the follower has received. */
interface Seen {
  readonly runId: string | undefined;
  readonly run: RunRecord | undefined;
  readonly revision: number;
  readonly last: string | undefined;
}

async function revisionOf(store: Store, sessionId: string): Promise<number> {
  for await (const { revision } of store.list({ id: sessionId })) return revision;
  throw notFound(sessionId);
}

function notFound(sessionId: string): ShallotError {
  return new ShallotError('SESSION_NOT_FOUND', {
    message: `Session ${quoteSession(sessionId)} has no run to follow.`,
  });
}

function eventOf(message: Message): FollowedEvent {
  return message.role === 'tool' ? { type: 'tool-end', message } : { type: 'message', message };
}

/** Returns the end of the run; undefined while it is being worked on or will be. */
function endOf(run: RunRecord, runId: string): (FollowedEvent & { type: 'run-end' }) | undefined {
  if (run.id !== runId) return { type: 'run-end', runId, outcome: undefined };
  const isOpen = run.status === 'running' || dueAt(run) !== undefined;
  if (isOpen && run.parked !== true) return undefined;
  const stopReason = run.status === 'interrupted' && run.parked !== true ? 'interrupt' : run.stopReason;
  return {
    type: 'run-end',
    runId,
    outcome: run.status === 'running' || run.parked === true ? 'failed' : run.status,
    ...(stopReason === undefined ? {} : { stopReason }),
    ...(run.failure === undefined ? {} : { failure: run.failure }),
  };
}
