import type { Claim } from '../base/claim.ts';
import type { RunRecord, SessionStatus } from '../contract/store.ts';
import { openInterrupts } from './interrupts.ts';
import { isResumable } from './resumable.ts';

/**
 * When a worker may resume a run, in milliseconds since 1970, as soon as nobody holds its session: 0 for at once, undefined
 * for never. Stores keep it with each commit that has a run, so that `list({ resumable: true })` looks at no others.
 */
export function dueAt(run: RunRecord | undefined): number | undefined {
  return run !== undefined && isForWorkers(run) ? (run.attempts?.notBefore ?? 0) : undefined;
}

function isForWorkers(run: RunRecord): boolean {
  if (run.parked === true) return false;
  if (run.status === 'running') return true;
  if (run.status === 'interrupted') return openInterrupts(run).length === 0;
  return (
    run.status === 'failed' &&
    run.submitted !== undefined &&
    run.failure?.transient === true &&
    isResumable(run)
  );
}

/** The status of a run in listings. */
export function statusOf(run: RunRecord): SessionStatus {
  return run.parked === true ? 'parked' : run.status;
}

/** Whether a request to stop lasts beyond a commit: it is for the run that holds the session now. */
export function keepsStop(claim: Claim | null | undefined, held: Claim | undefined): boolean {
  return claim === undefined || (claim !== null && claim.owner === held?.owner);
}
