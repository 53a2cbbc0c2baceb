import { ShallotError } from '../base/errors.ts';
import type { SessionAbout, SessionHead, Store } from '../contract/store.ts';
import { checkAbout } from '../sessions/content/about-size.ts';
import { checkOwner, type ForOwner } from '../sessions/stores/for-owner.ts';
import { loadHead } from '../sessions/stores/load-head.ts';

/**
 * Returns the head of a session whose notes are about to change.
 * @throws `SESSION_NOT_FOUND`, `SESSION_OF_ANOTHER`, `OPTION_INVALID` if the notes get too large
 */
export async function headToNote(
  store: Store,
  sessionId: string,
  change: SessionAbout,
  { owner }: ForOwner,
): Promise<SessionHead> {
  const head = await loadHead(store, sessionId);
  if (head === undefined) throw noSession(sessionId);
  checkOwner(head, { owner });
  checkAbout({ ...head.about, ...change });
  return head;
}

/** Returns the error for a session that does not exist, or no longer exists. */
export function noSession(sessionId: string): ShallotError {
  return new ShallotError('SESSION_NOT_FOUND', { message: `There is no session "${sessionId}".` });
}
