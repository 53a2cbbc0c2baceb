import { isClaimLive } from '../base/claim.ts';
import { isShallotError } from '../base/errors.ts';
import type { RunRecord, Store } from '../contract/store.ts';
import { dueAt, isToBeStopped, statusOf } from '../sessions/stores/due-at.ts';
import { checkOwner, refuseChild, type ForOwner } from '../sessions/stores/for-owner.ts';
import { loadHead } from '../sessions/stores/load-head.ts';
import { isResumable } from '../sessions/stores/resumable.ts';

/** @throws `SESSION_OF_ANOTHER` for a session that does not belong to this owner */
export async function refuseOthers(store: Store, sessionId: string, owner: string): Promise<void> {
  const found = await loadHead(store, sessionId);
  if (found !== undefined) checkOwner(found, { owner });
}

/**
 * Stops the unfinished run of a session in any process: after its current step, as soon as the process learns of it. A
 * run that no process executes is aborted at once. Needs no agent. Returns false if there is no unfinished run. A child
 * that is being executed is stopped alone, and its call gets an error result. @throws `SESSION_OF_ANOTHER`;
 * `SESSION_IS_CHILD` for a child that waits, or that no process executes, since it ends with its root
 */
export async function stopRun(store: Store, sessionId: string, { owner }: ForOwner = {}): Promise<boolean> {
  if (owner !== undefined) await refuseOthers(store, sessionId, owner);
  let isUnfinished = false;
  // The owner of the claim at the time when the run was marked, since a later claim removes the mark.
  let holder: string | undefined;
  while (await store.requestStop(sessionId)) {
    isUnfinished = true;
    const { run, claim, revision = 0 } = (await loadHead(store, sessionId)) ?? {};
    // A run with questions is marked only if a worker would resume it, because one of its calls has all answers.
    if (run?.status !== 'running' && run?.status !== 'interrupted') return true;
    if (claim !== undefined && isClaimLive(claim)) {
      if (claim.owner === holder) return true;
      holder = claim.owner;
      continue;
    }
    if (run.parent !== undefined) {
      await refuseUnfinishedChild(store, sessionId);
      return true;
    }
    try {
      await abort(store, sessionId, revision, run);
      return true;
    } catch (error) {
      // A worker has claimed the run first, so the stop is requested again.
      if (!isShallotError(error, 'STORE_CONFLICT')) throw error;
    }
  }
  // Skipped if the run was marked: since then it may have ended.
  if (!isUnfinished) await refuseUnfinishedChild(store, sessionId);
  return isUnfinished;
}

/**
 * Aborts a run that was to be stopped, and that its process left without doing so. Does nothing if a process has taken it
 * since. @throws `STORE_CONFLICT` if another process does this, too
 */
export async function abortLeft(store: Store, sessionId: string): Promise<void> {
  const { run, claim, revision = 0, stopRequested } = (await loadHead(store, sessionId)) ?? {};
  if (stopRequested !== true || run === undefined || !isToBeStopped(statusOf(run), dueAt(run))) return;
  if (claim === undefined || !isClaimLive(claim)) await abort(store, sessionId, revision, run);
}

/** Records the end of a run that no process executes, at the revision that was read. Returns the next revision. */
export async function abort(
  store: Store,
  sessionId: string,
  revision: number,
  run: RunRecord,
): Promise<number> {
  const aborted = { ...run, status: 'aborted', stopReason: 'abort' } as const;
  return store.commit(sessionId, revision, { run: aborted, claim: null });
}

/** @throws `SESSION_IS_CHILD` for a child that the run around it will continue: stop that run instead */
async function refuseUnfinishedChild(store: Store, sessionId: string): Promise<void> {
  const { run, about } = (await loadHead(store, sessionId)) ?? {};
  if (run !== undefined && isResumable(run)) refuseChild({ id: sessionId, about });
}
