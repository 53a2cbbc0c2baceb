import { ShallotError } from '../base/errors.ts';
import type { AgentEvent } from '../contract/events.ts';
import type { Interrupt } from '../contract/interrupt.ts';
import type { Message, ToolMessage } from '../contract/messages.ts';
import type { Outcome, StopReason } from '../contract/result.ts';
import type { RunFailure, RunRecord, SessionRecord, Store } from '../contract/store.ts';
import { Change } from '../sessions/change.ts';
import { quoteSession } from '../sessions/commit-checks.ts';
import { dueAt } from '../sessions/due-at.ts';
import { openInterrupts } from '../sessions/interrupts.ts';
import { loadRecord } from '../sessions/load-record.ts';
import { LiveFollower } from './live-follower.ts';

/** What is seen of a run from its record. */
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

export interface FollowOptions {
  /** The id of the last message that the follower has. Default: everything from the beginning of the run. */
  readonly after?: string;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
  /** How often to look at the store, in milliseconds. Default: 500. */
  readonly intervalMs?: number;
}

/**
 * Follows the last run of a session from any process, by its record: messages, results of tools, questions, and the end,
 * which is also a question that waits for an answer. Whoever loses the connection continues after the last message that it
 * has. If that message was replaced, by a summary for example, everything from the beginning of the run comes again.
 * @throws `SESSION_NOT_FOUND`
 */
export async function* followRun(
  store: Store,
  sessionId: string,
  { after, signal, intervalMs = 500 }: FollowOptions = {},
): AsyncGenerator<FollowedEvent, void, void> {
  let seen: Seen = { runId: undefined, run: undefined, revision: -1, last: after };
  const live = new LiveFollower(store, sessionId);
  await using change = await Change.of(store, sessionId);
  for (;;) {
    change.begin();
    if ((await revisionOf(store, sessionId)) !== seen.revision) {
      const record = await loadRecord(store, sessionId);
      if (record?.run === undefined) throw notFound(sessionId);
      const runId = seen.runId ?? record.run.id;
      const messages = newMessages(record, runId, seen.last);
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
      // They may belong to a later step: what is committed comes first.
      if ((await revisionOf(store, sessionId)) !== seen.revision) continue;
      for (const event of live.take(published, seen.run)) yield { type: 'live', event };
    }
    if (await change.wait(intervalMs, signal)) return;
  }
}

/** What the follower has. */
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

/** What came after a message, or since the beginning of the run. */
function newMessages(
  { messages, run }: SessionRecord,
  runId: string,
  last: string | undefined,
): readonly Message[] {
  const seen = last === undefined ? -1 : messages.findLastIndex(({ id }) => id === last);
  if (seen !== -1) return messages.slice(seen + 1);
  const { firstMessage } = run ?? {};
  const first = firstMessage === undefined ? -1 : messages.findIndex(({ id }) => id === firstMessage);
  if (first !== -1) return messages.slice(first);
  // The input is not taken yet, or the first message was replaced: those that bear the run's mark are left.
  return messages.filter(({ id }) => id.startsWith(`${runId}.`));
}

function eventOf(message: Message): FollowedEvent {
  return message.role === 'tool' ? { type: 'tool-end', message } : { type: 'message', message };
}

/** The end of the run; undefined while somebody is at work on it, or will be. */
function endOf(run: RunRecord, runId: string): (FollowedEvent & { type: 'run-end' }) | undefined {
  if (run.id !== runId) return { type: 'run-end', runId, outcome: undefined };
  const isOpen = run.status === 'running' || dueAt(run) !== undefined;
  if (isOpen && run.parked !== true) return undefined;
  const stopReason = run.status === 'interrupted' ? 'interrupt' : run.stopReason;
  return {
    type: 'run-end',
    runId,
    outcome: run.status === 'running' ? 'failed' : run.status,
    ...(stopReason === undefined ? {} : { stopReason }),
    ...(run.failure === undefined ? {} : { failure: run.failure }),
  };
}
