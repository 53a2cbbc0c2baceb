import { isShallotError } from '../base/errors.ts';
import { messageOf } from '../base/thrown.ts';
import type { RunRecord, Store } from '../contract/store.ts';
import type { Redactor } from '../redact/redactor.ts';
import { attemptsIfFailed, mostAttempts } from '../run/parts/attempts.ts';
import { openInterrupts } from '../sessions/content/open-interrupts.ts';

/** A run as a worker read it, at a revision of its session. */
export interface ReadRun {
  readonly revision: number;
  readonly run: RunRecord;
}

/**
 * Records that a worker could not resume a run: the next attempt waits, and after too many attempts the run is parked
 * with the error, until someone resumes it. A run with an open question waits for its answer instead. Only changes the
 * run as it was read.
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
  } as const;
  const tried = { ...run, ...(attempts === undefined ? {} : { attempts }) };
  const isAsking = openInterrupts(run).length > 0;
  await store.commit(sessionId, revision, {
    run:
      isLast && isAsking
        ? { ...tried, status: 'interrupted' }
        : { ...tried, failure, ...(isLast ? { parked: true } : {}) },
  });
}
