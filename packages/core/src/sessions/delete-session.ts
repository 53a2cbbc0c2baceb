import { isShallotError } from '../base/errors.ts';
import type { Store } from '../contract/store.ts';
import { refuseClaimed } from './interrupts.ts';
import { loadRecord } from './load-record.ts';
import { storeError } from './store-error.ts';

/**
 * Deletes a session with all that it holds, a damaged one too. Returns whether there was one.
 * @throws `STORE_CONFLICT` while a run is at work on it
 */
export async function deleteSession(store: Store, sessionId: string): Promise<boolean> {
  try {
    const record = await loadRecord(store, sessionId);
    if (record !== undefined) refuseClaimed(record);
  } catch (error) {
    // Of a damaged one nobody can tell who works on it, and it could not be got rid of otherwise.
    if (!isShallotError(error, 'STORE_DAMAGED')) throw error;
  }
  try {
    return await store.delete(sessionId);
  } catch (error) {
    throw storeError(sessionId, 'deleted', error);
  }
}
