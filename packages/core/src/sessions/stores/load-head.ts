import type { SessionHead, Store } from '../../contract/store.ts';
import { loadRecord } from './load-record.ts';
import { storeError } from './store-error.ts';

/**
 * Loads all of a session but its messages; from a store that cannot, with them.
 * @throws `STORE_FAILED` if the store throws anything but an error of ours
 */
export async function loadHead(store: Store, sessionId: string): Promise<SessionHead | undefined> {
  if (store.head === undefined) return loadRecord(store, sessionId);
  try {
    return await store.head(sessionId);
  } catch (error) {
    throw storeError(sessionId, 'read', error);
  }
}
