import { ShallotError } from '../base/errors.ts';
import type { RunRecord, Store } from '../contract/store.ts';
import { openInterrupts } from '../sessions/content/open-interrupts.ts';
import { quoteSession } from '../sessions/stores/commit-checks.ts';
import { dueAt } from '../sessions/stores/due-at.ts';
import { checkOwner, type ForOwner } from '../sessions/stores/for-owner.ts';
import { SessionWatch } from '../sessions/stores/session-watch.ts';
import { ChildFollower, withChildren } from './child-follower.ts';
import type { FollowedEvent, FollowedTreeEvent } from './followed-event.ts';
import { LiveFollower } from './live-follower.ts';
import { readNew } from './read-new.ts';

/** Options of `followRun`. */
export interface FollowOptions extends ForOwner {
  /** The id of the last message that the follower received. Default: start at the beginning of the run. */
  readonly after?: string;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
  /** The polling interval, in milliseconds. Default: 500. */
  readonly intervalMs?: number;
}

/** Options of `followRun` for a run with its child runs. */
export interface FollowTreeOptions extends FollowOptions {
  /**
   * Adds the messages and tool results of child runs: each once, those of a child before the result of its call. A follower that
   * lost its connection gets them again.
   */
  readonly children: true;
}

/**
 * Follows the last run of a session from any process, through its stored record: messages, tool results, questions, and
 * the end. A run that waits for an answer has ended, too. A follower that lost its connection continues after the last
 * message it received; if that message was replaced, `reload` comes first, and the run is repeated from its beginning.
 * @throws `SESSION_NOT_FOUND`, `SESSION_OF_ANOTHER`
 */
export function followRun(
  store: Store,
  sessionId: string,
  options: FollowTreeOptions,
): AsyncGenerator<FollowedTreeEvent, void, void>;
export function followRun(
  store: Store,
  sessionId: string,
  options?: FollowOptions,
): AsyncGenerator<FollowedEvent, void, void>;
export async function* followRun(
  store: Store,
  sessionId: string,
  { after, children, signal, intervalMs = 500, owner }: FollowOptions & Partial<FollowTreeOptions> = {},
): AsyncGenerator<FollowedTreeEvent, void, void> {
  let seen: Seen = { runId: undefined, run: undefined, revision: -1, last: after };
  const live = new LiveFollower(store, sessionId);
  const below = children === true ? new ChildFollower(store, sessionId) : undefined;
  await using watch = await SessionWatch.of(store, sessionId);
  for (;;) {
    watch.begin();
    // Read before the record: committed messages come before events of a later step.
    const published = seen.run === undefined ? undefined : await live.look();
    if ((await revisionOf(store, sessionId)) !== seen.revision) {
      const read = await readNew(store, sessionId, seen.runId, seen.last);
      const record = read?.head;
      if (read === undefined || record?.run === undefined) throw notFound(sessionId);
      checkOwner(record, { owner });
      const runId = seen.runId ?? record.run.id;
      const { messages, isAnew } = read;
      if (isAnew === true) yield { type: 'reload' };
      // Children are read after the record of their parent, because a child commits its end before its parent does.
      yield* withChildren(messages, (await below?.look(runId)) ?? new Map<string, FollowedTreeEvent[]>());
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
    if (published === undefined || seen.run === undefined) continue;
    for (const event of live.take(published, seen.run)) yield { type: 'live', event };
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

/** Returns the end of the run; undefined while it is executed, or will be. */
function endOf(run: RunRecord, runId: string): (FollowedEvent & { type: 'run-end' }) | undefined {
  if (run.id !== runId) return { type: 'run-end', runId, outcome: undefined };
  const isOpen = run.status === 'running' || dueAt(run) !== undefined;
  if (isOpen && run.parked !== true) return undefined;
  const stopReason = run.status === 'interrupted' && run.parked !== true ? 'interrupt' : run.stopReason;
  return {
    type: 'run-end',
    runId,
    outcome: run.status === 'running' || run.parked === true ? 'failed' : run.status,
    steps: run.step,
    usage: run.usage,
    ...(run.position.at === 'end' && run.position.finish !== undefined
      ? { finish: run.position.finish }
      : {}),
    ...(stopReason === undefined ? {} : { stopReason }),
    ...(run.failure === undefined ? {} : { failure: run.failure }),
  };
}
