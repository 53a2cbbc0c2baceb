import type { SessionRecord, Store } from '../../contract/store.ts';
import { storeError } from './store-error.ts';

/**
 * Loads a session from a store; undefined if there is none. @throws `STORE_FAILED` for any error but a `ShallotError`
 */
export async function loadRecord(store: Store, sessionId: string): Promise<SessionRecord | undefined> {
  try {
    return await store.load(sessionId);
  } catch (error) {
    throw storeError(sessionId, 'read', error);
  }
}
