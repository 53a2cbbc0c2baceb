import { isShallotError } from '../base/errors.ts';
import { messageOf } from '../base/thrown.ts';
import type { RunRecord, Store } from '../contract/store.ts';
import type { Redactor } from '../redact/redactor.ts';
import { attemptsIfFailed, mostAttempts } from '../run/parts/attempts.ts';
import { openInterrupts } from '../sessions/content/open-interrupts.ts';
import { dueAt } from '../sessions/stores/due-at.ts';

/** A run as a worker read it, at a revision of its session. */
export interface ReadRun {
  readonly revision: number;
  readonly run: RunRecord;
}

/**
 * Records that a worker could not resume a run: the next attempt waits, and after too many attempts the run is parked
 * with the error, until someone resumes it. A run that only waits for answers is not parked; an answer also ends the
 * parking. Only changes the run as it was read.
 * @throws `STORE_CONFLICT` if another process has continued the run
 */
export async function park(
  store: Store,
  sessionId: string,
  { revision, run }: ReadRun,
  error: unknown,
  { pauseMs, redactor }: { readonly pauseMs: number; readonly redactor: Redactor },
): Promise<void> {
  const isStuck = isShallotError(error, 'RUN_STUCK');
  const attempts = isStuck ? run.attempts : attemptsIfFailed(run.attempts, pauseMs);
  const isLast = isStuck || (attempts?.count ?? 0) >= mostAttempts;
  const failure = {
    code: isShallotError(error) ? error.code : 'INTERNAL',
    message: redactor.text(messageOf(error)),
    // Otherwise a failed run would not be tried again, although it is not parked.
    ...(run.status === 'failed' && !isLast ? ({ transient: true } as const) : {}),
  } as const;
  const isAsking = openInterrupts(run).length > 0;
  const tried: RunRecord = {
    ...run,
    ...(attempts === undefined ? {} : { attempts }),
    ...(isLast && isAsking ? { status: 'interrupted' } : {}),
  };
  // If one of several questions is answered, workers would try the run again and again.
  const isWaiting = isLast && dueAt(tried) === undefined;
  await store.commit(sessionId, revision, {
    run: isWaiting ? tried : { ...tried, failure, ...(isLast ? { parked: true } : {}) },
  });
}
