import { isShallotError } from '../base/errors.ts';
import { messageOf } from '../base/thrown.ts';
import type { Store } from '../contract/store.ts';
import type { Redactor } from '../redact/redactor.ts';
import { mostAttempts, nextAttempt } from '../run/parts/attempts.ts';
import { refuseClaimed } from '../sessions/interrupts.ts';
import { loadRecord } from '../sessions/load-record.ts';

/**
 * Records that a worker could not resume a run: the next one waits, and a run that was tried often enough is parked, with the
 * error, until somebody resumes it. @throws `STORE_CONFLICT` when somebody else has it
 */
export async function park(
  store: Store,
  sessionId: string,
  error: unknown,
  { pauseMs, redactor }: { readonly pauseMs: number; readonly redactor: Redactor },
): Promise<void> {
  const record = await loadRecord(store, sessionId);
  if (record?.run === undefined) return;
  refuseClaimed(record);
  const { run } = record;
  const isStuck = isShallotError(error, 'RUN_STUCK');
  const attempts = isStuck ? run.attempts : nextAttempt(run.attempts, pauseMs);
  const isParked = isStuck || (attempts?.count ?? 0) >= mostAttempts;
  const failure = {
    code: isShallotError(error) ? error.code : 'INTERNAL',
    message: redactor.text(messageOf(error)),
  } as const;
  await store.commit(sessionId, record.revision, {
    run: {
      ...run,
      failure,
      ...(attempts === undefined ? {} : { attempts }),
      ...(isParked ? { parked: true } : {}),
    },
  });
}
