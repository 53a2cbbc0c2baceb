import type { Claim } from '../../base/claim.ts';
import type { RunRecord, SessionStatus } from '../../contract/store.ts';
import { openInterrupts } from '../content/open-interrupts.ts';
import { isResumable } from './resumable.ts';

/**
 * Returns the time from which a worker may resume a run once its session is free, in milliseconds since 1970: 0 for at
 * once, undefined for never. Stores index it, for `list({ resumable: true })`.
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

/** Returns the status of a run in listings. */
export function statusOf(run: RunRecord): SessionStatus {
  return run.parked === true ? 'parked' : run.status;
}

/** Returns true if a stop request stays valid after a commit: it applies to the run that holds the session. */
export function keepsStop(claim: Claim | null | undefined, held: Claim | undefined): boolean {
  return claim === undefined || (claim !== null && claim.owner === held?.owner);
}
