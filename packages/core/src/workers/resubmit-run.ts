import { ShallotError } from '../base/errors.ts';
import type { RunRecord, Store } from '../contract/store.ts';
import { nothingToResume } from '../run/give-up.ts';
import { openInterrupts, refuseClaimed, whenReleased, type AnswerOptions } from '../sessions/interrupts.ts';
import { loadRecord } from '../sessions/load-record.ts';
import { isResumable } from '../sessions/resumable.ts';

/**
 * Leaves an unfinished run to workers, whatever kept them from it: one that was parked, aborted, stopped or that failed. They
 * continue it where it stood. While a process is at work on the session, this waits for the end of its step. Needs no agent.
 * @throws `SESSION_NOT_FOUND`, `SESSION_NOT_RESUMABLE`; `SESSION_INTERRUPTED` while a question is open; `STORE_CONFLICT` after `waitMs`
 */
export async function resubmitRun(
  store: Store,
  sessionId: string,
  options: AnswerOptions = {},
): Promise<void> {
  await whenReleased(store, sessionId, options, () => resubmitNow(store, sessionId));
}

async function resubmitNow(store: Store, sessionId: string): Promise<void> {
  const record = await loadRecord(store, sessionId);
  if (record === undefined) {
    throw new ShallotError('SESSION_NOT_FOUND', { message: `There is no session "${sessionId}" to resume.` });
  }
  refuseClaimed(record);
  if (record.run === undefined || !isResumable(record.run)) throw nothingToResume(sessionId, record.run);
  const { status, stopReason: _why, failure: _error, attempts: _tries, parked: _mark, ...run } = record.run;
  if (status === 'interrupted') refuseOpen(sessionId, record.run);
  await store.commit(sessionId, record.revision, { run: { ...run, status: 'running' }, claim: null });
}

function refuseOpen(sessionId: string, run: RunRecord): void {
  const ids = openInterrupts(run).map(({ id }) => id);
  if (ids.length === 0) return;
  throw new ShallotError('SESSION_INTERRUPTED', {
    message: `Session "${sessionId}" is waiting for answers to ${ids.join(', ')}. Answer them first.`,
  });
}
