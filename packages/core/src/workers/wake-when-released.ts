import { isClaimLive } from '../base/claim.ts';
import { messageOf } from '../base/thrown.ts';
import type { Store } from '../contract/store.ts';
import type { Queue } from '../contract/work/queue.ts';
import type { AgentParts } from '../run/agent-parts.ts';
import { dueAt, leavesMessages } from '../sessions/stores/due-at.ts';
import { loadHead } from '../sessions/stores/load-head.ts';

/** Lets a queue name a session again when the claim that another process has on it expires. */
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

/** A session that a queue has named, as far as nobody has to ask for it first. */
interface NamedSession {
  /** The time at which the claim that a process has on it expires; undefined if none has one. */
  readonly heldUntil: number | undefined;
  /** True if its run is for workers, or has left messages for another one. */
  readonly isDue: boolean;
}

/** Reads what a worker has to know of a session that a queue named; undefined if nobody can tell. */
export async function readNamed(
  { store, log }: Pick<AgentParts, 'store' | 'log'>,
  sessionId: string,
): Promise<NamedSession | undefined> {
  try {
    const { claim, run } = (await loadHead(store, sessionId)) ?? {};
    const heldUntil = claim !== undefined && isClaimLive(claim) ? claim.expiresAt : undefined;
    const isDue =
      dueAt(run) !== undefined ||
      (run !== undefined && leavesMessages(run) && (await hasMessages(store, sessionId)));
    return { heldUntil, isDue };
  } catch (error) {
    log.info({ sessionId }, `The session could not be read before its run is resumed: ${messageOf(error)}`);
    return undefined;
  }
}

async function hasMessages(store: Store, sessionId: string): Promise<boolean> {
  return ((await store.inbox?.(sessionId)) ?? []).length > 0;
}
