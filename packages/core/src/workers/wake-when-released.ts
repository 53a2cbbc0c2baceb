import { isClaimLive } from '../base/claim.ts';
import { messageOf } from '../base/thrown.ts';
import type { Queue } from '../contract/work/queue.ts';
import type { AgentParts } from '../run/agent-parts.ts';
import { dueAt, leavesMessages } from '../sessions/stores/due-at.ts';
import { loadHead } from '../sessions/stores/load-head.ts';

/** Lets a queue name a session again when the claim that another process has on it expires. Failures are only logged. */
export async function wakeWhenReleased(
  queue: Queue | undefined,
  { store, log }: Pick<AgentParts, 'store' | 'log'>,
  sessionId: string,
  agent: { readonly agent?: string },
): Promise<void> {
  try {
    const { claim } = (await loadHead(store, sessionId)) ?? {};
    if (claim !== undefined) await queue?.wake(sessionId, { ...agent, at: claim.expiresAt });
  } catch (error) {
    log.info({ sessionId }, `The queue could not be reached to name the session again: ${messageOf(error)}`);
  }
}

/** The state of a session that a queue has named. */
interface NamedSession {
  /** The time at which the claim on it expires; undefined if no process has one. */
  readonly heldUntil: number | undefined;
  /** True if a worker may continue its run, or begin another one with the messages that the run has left. */
  readonly isDue: boolean;
  /** True if a stop of the run was requested. */
  readonly isToStop: boolean;
}

/** Reads the state of a session that a queue has named; undefined if it cannot be read. */
export async function readNamed(
  { store, log }: Pick<AgentParts, 'store' | 'log'>,
  sessionId: string,
): Promise<NamedSession | undefined> {
  try {
    const { claim, run, stopRequested = false } = (await loadHead(store, sessionId)) ?? {};
    const heldUntil = claim !== undefined && isClaimLive(claim) ? claim.expiresAt : undefined;
    const left = run !== undefined && leavesMessages(run) ? await store.inbox?.(sessionId) : undefined;
    const isDue = dueAt(run) !== undefined || (left ?? []).length > 0;
    return { heldUntil, isDue, isToStop: stopRequested };
  } catch (error) {
    log.info({ sessionId }, `The session could not be read before its run is resumed: ${messageOf(error)}`);
    return undefined;
  }
}
