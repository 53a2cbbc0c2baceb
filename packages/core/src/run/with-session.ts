import { isShallotError } from '../base/errors.ts';
import type { Store } from '../contract/store.ts';
import { checkFormat } from '../sessions/commit-checks.ts';
import { hotSessions } from '../sessions/hot-sessions.ts';
import { refuseClaimed } from '../sessions/interrupts.ts';
import { knownSession, type KnownSession } from '../sessions/live-session.ts';
import { loadRecord } from '../sessions/load-record.ts';

/**
 * Begins with what is known of a session. One that was used lately is not read: its claim is committed at the revision that is in
 * memory. When it was changed elsewhere, that fails, and it begins again with what it reads.
 */
export function withSession<T>(
  store: Store,
  sessionId: string,
  begin: (known: KnownSession | undefined) => Promise<T>,
): Promise<T> {
  const beginCold = async (): Promise<T> => await begin(await readSession(store, sessionId));
  const hot = hotSessions.take(store, sessionId);
  if (hot === undefined) return beginCold();
  return begin(hot).catch((error: unknown) => {
    if (isFailureOfStore(error)) throw error;
    // A refusal, too, may rest on what is out of date.
    return beginCold();
  });
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
