import { isClaimLive } from '../base/claim.ts';
import type { Store } from '../contract/store.ts';
import { loadRecord } from '../sessions/load-record.ts';

/**
 * Stops the unfinished run of a session, whichever process executes it: after its current step, as soon as the holder of the
 * claim hears of it. A run that nobody executes is aborted at once. Needs no agent. Returns whether there is an unfinished run.
 */
export async function stopRun(store: Store, sessionId: string): Promise<boolean> {
  if (!(await store.requestStop(sessionId))) return false;
  const record = await loadRecord(store, sessionId);
  const { run, claim } = record ?? {};
  // From here on whoever claims the session has the mark of its own time.
  if (record === undefined || run?.status !== 'running' || (claim !== undefined && isClaimLive(claim)))
    return true;
  await store.commit(sessionId, record.revision, {
    run: { ...run, status: 'aborted', stopReason: 'abort' },
    claim: null,
  });
  return true;
}
