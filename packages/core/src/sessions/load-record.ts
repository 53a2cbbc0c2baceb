import type { SessionRecord, Store } from '../contract/store.ts';
import { storeError } from './store-error.ts';

/** What a store has of a session. @throws `STORE_FAILED` for whatever the store throws that is no error of ours */
export async function loadRecord(store: Store, sessionId: string): Promise<SessionRecord | undefined> {
  try {
    return await store.load(sessionId);
  } catch (error) {
    throw storeError(sessionId, 'read', error);
  }
}
