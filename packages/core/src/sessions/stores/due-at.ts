import type { Claim } from '../../base/claim.ts';
import type { RunRecord, SessionChange, SessionStatus } from '../../contract/store.ts';
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

/** Returns true if all questions of a call or a hook are answered, so that it can continue while others still wait. */
function hasAnswered(run: RunRecord): boolean {
  const waiting = new Set(openInterrupts(run).map(askerOf));
  return run.interrupts.length === 0 || run.interrupts.some((asked) => !waiting.has(askerOf(asked)));
}

/**
 * Returns true if `requestStop` applies to a session with this listed status and due time: its run is being executed, or
 * workers would resume it. A child is only stopped while it is executed, since workers leave it to its parent.
 */
export function isToBeStopped(status: string | null | undefined, due: number | null | undefined): boolean {
  return status === 'running' || (status !== 'completed' && due !== null && due !== undefined);
}

/**
 * Returns true if messages left in the inbox of this ended run make a worker begin another run with them. Stores then
 * list the session as resumable, in case the worker died at the end of the run.
 */
export function leavesMessages(run: RunRecord): boolean {
  return run.status === 'completed' && run.submitted !== undefined;
}

/** Returns the status of a run in listings. */
export function statusOf(run: RunRecord): SessionStatus {
  return run.parked === true ? 'parked' : run.status;
}

/** Returns true if messages can be sent to a run with this listed status. */
export function takesMessages(status: string | null | undefined): boolean {
  return status === 'running' || status === 'interrupted';
}

/**
 * Returns true if a stop request stays valid after a commit: its run goes on in the same process, or is left to another
 * one. `held` is the claim before the commit.
 */
export function keepsStop(
  { claim, run }: Pick<SessionChange, 'claim' | 'run'>,
  held: Claim | undefined,
): boolean {
  if (claim === undefined) return true;
  if (claim !== null) return claim.owner === held?.owner;
  if (run === undefined) return true;
  return run.submitted?.isNew !== true && isToBeStopped(statusOf(run), dueAt(run));
}
