import type { Claim } from '../../base/claim.ts';
import type { RunRecord, SessionStatus } from '../../contract/store.ts';
import { askerOf, openInterrupts } from '../content/open-interrupts.ts';
import { isResumable } from './resumable.ts';

/**
 * Returns the time from which a worker may resume a run once its session is free, in milliseconds since 1970: 0 for at
 * once, undefined for never. Stores index it, for `list({ resumable: true })`.
 */
export function dueAt(run: RunRecord | undefined): number | undefined {
  return run !== undefined && isForWorkers(run) ? (run.attempts?.notBefore ?? 0) : undefined;
}

function isForWorkers(run: RunRecord): boolean {
  // A child is resumed by the call of its parent.
  if (run.parked === true || run.parent !== undefined) return false;
  if (run.status === 'running') return true;
  if (run.status === 'interrupted') return hasAnswered(run);
  return (
    run.status === 'failed' &&
    run.submitted !== undefined &&
    run.failure?.transient === true &&
    isResumable(run)
  );
}

/** Returns true if a run that waits has all answers for a call or a hook, which can then go on beside those that wait. */
function hasAnswered(run: RunRecord): boolean {
  const waiting = new Set(openInterrupts(run).map(askerOf));
  return run.interrupts.length === 0 || run.interrupts.some((asked) => !waiting.has(askerOf(asked)));
}

/**
 * Returns true if `requestStop` marks a session with this status, as listings show it, and this time from which workers may
 * resume its run: one that they resume, or a child, which they leave to its parent, while it works.
 */
export function isToBeStopped(status: string | null | undefined, due: number | null | undefined): boolean {
  return status === 'running' || (status !== 'completed' && due !== null && due !== undefined);
}

/**
 * Returns true if a worker is to begin a run with the messages that this one has left in the inbox, if there are any. Stores
 * then list the session as resumable, so that no messages wait for a worker that died at the end of the run.
 */
export function leavesMessages(run: RunRecord): boolean {
  return run.status === 'completed' && run.submitted !== undefined;
}

/** Returns the status of a run in listings. */
export function statusOf(run: RunRecord): SessionStatus {
  return run.parked === true ? 'parked' : run.status;
}

/** Returns true if messages can be sent to a run with this status, as listings show it. */
export function takesMessages(status: string | null | undefined): boolean {
  return status === 'running' || status === 'interrupted';
}

/** Returns true if a stop request stays valid after a commit: it applies to the run that holds the session. */
export function keepsStop(claim: Claim | null | undefined, held: Claim | undefined): boolean {
  return claim === undefined || (claim !== null && claim.owner === held?.owner);
}
