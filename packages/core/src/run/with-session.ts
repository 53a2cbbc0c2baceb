import { isShallotError } from '../base/errors.ts';
import { isPromise } from '../base/is-promise.ts';
import type { Store } from '../contract/store.ts';
import { knownSession, type KnownSession } from '../sessions/content/known-session.ts';
import { sharedSessions, type SessionCache } from '../sessions/live/session-cache.ts';
import { checkFormat, refuseClaimed } from '../sessions/stores/commit-checks.ts';
import { loadHead } from '../sessions/stores/load-head.ts';
import { loadRecord } from '../sessions/stores/load-record.ts';
import { loadsFromMemory } from '../sessions/stores/memory-store.ts';
import { isResumable } from '../sessions/stores/resumable.ts';

/**
 * Calls `begin` with the known content of a session. A cached session is not loaded: if another process changed it, the
 * claim fails, and `begin` is called again with the loaded session. Returns a promise only if the store is
 * asynchronous.
 */
export function withSession<T>(
  store: Store,
  sessionId: string,
  begin: (known: KnownSession | undefined) => T | Promise<T>,
  cache: SessionCache = sharedSessions,
  read: typeof readSession = readSession,
): T | Promise<T> {
  const beginCold = async (): Promise<T> => await begin(await read(store, sessionId));
  const cached = cache.take(store, sessionId);
  if (cached === undefined && !loadsFromMemory(store)) return beginCold();
  const beginAgain = (error: unknown): Promise<T> => {
    if (isFailureOfStore(error)) throw error;
    // A rejection may also be based on outdated content.
    return beginCold();
  };
  try {
    const begun = begin(cached);
    return isPromise(begun) ? begun.catch(beginAgain) : begun;
  } catch (error) {
    return beginAgain(error);
  }
}

function isFailureOfStore(error: unknown): boolean {
  return isShallotError(error) && error.code.startsWith('STORE_') && error.code !== 'STORE_CONFLICT';
}

/**
 * Reads the parts of a session that submitting a run needs: its messages only if the last run left open calls behind. The
 * result must not be cached.
 */
export async function readForSubmit(store: Store, sessionId: string): Promise<KnownSession | undefined> {
  const head = await loadHead(store, sessionId);
  if (head?.run === undefined || isResumable(head.run)) return readSession(store, sessionId);
  checkFormat(sessionId, head.format);
  refuseClaimed(head);
  return knownSession({ ...head, messages: [] });
}

async function readSession(store: Store, sessionId: string): Promise<KnownSession | undefined> {
  const record = await loadRecord(store, sessionId);
  if (record === undefined) return undefined;
  checkFormat(sessionId, record.format);
  refuseClaimed(record);
  return knownSession(record);
}
