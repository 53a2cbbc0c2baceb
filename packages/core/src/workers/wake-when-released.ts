import { isClaimLive } from '../base/claim.ts';
import { messageOf } from '../base/thrown.ts';
import type { Queue } from '../contract/work/queue.ts';
import type { AgentParts } from '../run/agent-parts.ts';
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

/** Returns when the claim that another process has on a session expires; undefined if none has one, or nobody can tell. */
export async function heldUntil(
  { store, log }: Pick<AgentParts, 'store' | 'log'>,
  sessionId: string,
): Promise<number | undefined> {
  try {
    const { claim } = (await loadHead(store, sessionId)) ?? {};
    return claim !== undefined && isClaimLive(claim) ? claim.expiresAt : undefined;
  } catch (error) {
    log.info({ sessionId }, `The session could not be read before its run is resumed: ${messageOf(error)}`);
    return undefined;
  }
}
