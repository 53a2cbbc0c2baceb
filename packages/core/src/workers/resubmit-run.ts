import { ShallotError } from '../base/errors.ts';
import type { RunRecord, Store } from '../contract/store.ts';
import { nothingToResume } from '../run/abandon-run.ts';
import { openInterrupts } from '../sessions/content/open-interrupts.ts';
import { refuseClaimed } from '../sessions/stores/commit-checks.ts';
import { checkOwner, refuseChild } from '../sessions/stores/for-owner.ts';
import { loadHead } from '../sessions/stores/load-head.ts';
import { isResumable } from '../sessions/stores/resumable.ts';
import { whenReleased, type WaitOptions } from '../sessions/stores/when-released.ts';
import { abort } from './stop-run.ts';

/**
 * Submits an unfinished run to workers again: one that was parked, aborted, stopped or failed. They continue it at its
 * position. While another process works on the session, this waits for the end of its step. Needs no agent. @throws
 * `SESSION_NOT_FOUND`, `SESSION_NOT_RESUMABLE`; `SESSION_INTERRUPTED` while a question is open; `STORE_CONFLICT` after
 * `waitMs`
 */
export async function resubmitRun(store: Store, sessionId: string, options: WaitOptions = {}): Promise<void> {
  await whenReleased(store, sessionId, options, () => resubmitNow(store, sessionId, options));
}

async function resubmitNow(store: Store, sessionId: string, { owner }: WaitOptions): Promise<void> {
  const record = await loadHead(store, sessionId);
  if (record === undefined) {
    throw new ShallotError('SESSION_NOT_FOUND', { message: `There is no session "${sessionId}" to resume.` });
  }
  checkOwner(record, { owner });
  refuseChild(record);
  refuseClaimed(record);
  if (record.run === undefined || !isResumable(record.run)) throw nothingToResume(sessionId, record.run);
  const { status, stopReason: _why, failure: _error, attempts: _tries, parked: _mark, ...run } = record.run;
  if (status === 'interrupted') refuseOpen(sessionId, record.run);
  // The request to stop that its process did not live to carry out does not apply to what follows.
  const revision =
    record.stopRequested === true
      ? await abort(store, sessionId, record.revision, record.run)
      : record.revision;
  await store.commit(sessionId, revision, { run: { ...run, status: 'running' }, claim: null });
}

function refuseOpen(sessionId: string, run: RunRecord): void {
  const ids = openInterrupts(run).map(({ id }) => id);
  if (ids.length === 0) return;
  throw new ShallotError('SESSION_INTERRUPTED', {
    message: `Session "${sessionId}" is waiting for answers to ${ids.join(', ')}. Answer them first.`,
  });
}
