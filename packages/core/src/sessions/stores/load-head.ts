import type { SessionHead, Store } from '../../contract/store.ts';
import { loadRecord } from './load-record.ts';
import { storeError } from './store-error.ts';

/**
 * Loads all but the messages of a session; a store without `head` loads them, too. Undefined if there is no such
 * session. @throws `STORE_FAILED` for any error but a `ShallotError`
 */
export async function loadHead(store: Store, sessionId: string): Promise<SessionHead | undefined> {
  if (store.head === undefined) return loadRecord(store, sessionId);
  try {
    return await store.head(sessionId);
  } catch (error) {
    throw storeError(sessionId, 'read', error);
  }
}
