import { isShallotError, ShallotError } from '../base/errors.ts';
import { recordFormat, type SessionRecord, type Store } from '../contract/store.ts';
import { hotSessions } from '../sessions/hot-sessions.ts';
import { refuseClaimed } from '../sessions/interrupts.ts';
import type { KnownSession } from '../sessions/live-session.ts';
import { loadRecord } from '../sessions/load-record.ts';

/**
 * Begins with what is known of a session. One that was used lately is not read: its claim is committed at the revision that is in
 * memory. When it was changed elsewhere, that fails, and it begins again with what it reads.
 */
export async function withSession<T>(
  store: Store,
  sessionId: string,
  begin: (known: KnownSession | undefined) => Promise<T>,
): Promise<T> {
  const hot = hotSessions.take(store, sessionId);
  if (hot !== undefined) {
    try {
      return await begin(hot);
    } catch (error) {
      if (isFailureOfStore(error)) throw error;
      // A refusal, too, may rest on what is out of date.
    }
  }
  return begin(await loadSession(store, sessionId));
}

function isFailureOfStore(error: unknown): boolean {
  return isShallotError(error) && error.code.startsWith('STORE_') && error.code !== 'STORE_CONFLICT';
}

async function loadSession(store: Store, sessionId: string): Promise<SessionRecord | undefined> {
  const record = await loadRecord(store, sessionId);
  if (record === undefined) return undefined;
  if (record.format > recordFormat) {
    throw new ShallotError('STORE_FORMAT', {
      message: `Session "${sessionId}" was written in format ${record.format}; this version reads up to ${recordFormat}. Use a newer version of @shallot/core.`,
    });
  }
  refuseClaimed(record);
  return record;
}
