import { isShallotError } from '../base/errors.ts';
import { isPromise } from '../base/is-promise.ts';
import type { Store } from '../contract/store.ts';
import { checkFormat } from '../sessions/commit-checks.ts';
import { hotSessions } from '../sessions/hot-sessions.ts';
import { refuseClaimed } from '../sessions/interrupts.ts';
import { knownSession, type KnownSession } from '../sessions/known-session.ts';
import { loadRecord } from '../sessions/load-record.ts';
import { loadsFromMemory } from '../sessions/memory-store.ts';

/**
 * Begins with what is known of a session. One that was used lately is not read: its claim is committed at the revision that is in
 * memory. When it was changed elsewhere, that fails, and it begins again with what it reads. Gives a promise only if the store
 * has to be waited for.
 */
export function withSession<T>(
  store: Store,
  sessionId: string,
  begin: (known: KnownSession | undefined) => T | Promise<T>,
): T | Promise<T> {
  const beginCold = async (): Promise<T> => await begin(await readSession(store, sessionId));
  const hot = hotSessions.take(store, sessionId);
  if (hot === undefined && !loadsFromMemory(store)) return beginCold();
  const beginAgain = (error: unknown): Promise<T> => {
    if (isFailureOfStore(error)) throw error;
    // A refusal, too, may rest on what is out of date.
    return beginCold();
  };
  try {
    const begun = begin(hot);
    return isPromise(begun) ? begun.catch(beginAgain) : begun;
  } catch (error) {
    return beginAgain(error);
  }
}

function isFailureOfStore(error: unknown): boolean {
  return isShallotError(error) && error.code.startsWith('STORE_') && error.code !== 'STORE_CONFLICT';
}

async function readSession(store: Store, sessionId: string): Promise<KnownSession | undefined> {
  const record = await loadRecord(store, sessionId);
  if (record === undefined) return undefined;
  checkFormat(sessionId, record.format);
  refuseClaimed(record);
  return knownSession(record);
}
