import { ShallotError } from '../base/errors.ts';
import { messageOf } from '../base/thrown.ts';
import { textOf } from '../contract/messages.ts';
import type { RunRecord, Store } from '../contract/store.ts';
import type { BackgroundChild } from '../contract/work/child.ts';
import { knownSession, type KnownSession } from '../sessions/content/known-session.ts';
import { loadRecord } from '../sessions/stores/load-record.ts';
import { isResumable } from '../sessions/stores/resumable.ts';
import type { FinishedChild } from './child-terms.ts';

/** Returns the end of a child from its record. @throws the error of a failed child, `RUN_ABORTED` for an aborted one */
export function finishedChild(known: KnownSession, run: RunRecord): FinishedChild {
  const { failure, position, stopReason = 'answer', usage, step: steps } = run;
  if (run.status !== 'completed') {
    const { code = 'RUN_ABORTED', message = 'The run was aborted.' } = failure ?? {};
    throw new ShallotError(code, { message });
  }
  const { message: id, finish } = position.at === 'end' ? position : {};
  const { log } = known.content;
  const last = id === undefined ? undefined : log.at(log.findLast((message) => message.id === id));
  return { text: last === undefined ? '' : textOf(last), stopReason, finish, usage, steps };
}

/**
 * Returns a child whose run is no longer executed, from its session; undefined if it is not a child of the session
 * `parent`.
 */
export async function endedChild(
  store: Store,
  parent: string,
  sessionId: string,
): Promise<BackgroundChild | undefined> {
  const record = await loadRecord(store, sessionId);
  const run = record?.run;
  if (record?.about?.parent !== parent || run === undefined) return undefined;
  const child = { sessionId, agent: run.agent?.id ?? '' };
  if (isResumable(run))
    return {
      ...child,
      status: 'failed',
      error: 'It ended before it had an answer, with the run that began it.',
    };
  try {
    const result = { sessionId, output: undefined, ...finishedChild(knownSession(record), run) };
    return { ...child, status: 'ended', result };
  } catch (error) {
    return { ...child, status: 'failed', error: messageOf(error) };
  }
}
