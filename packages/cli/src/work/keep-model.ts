import { isShallotError } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import { setModelName } from '@shallot/core/work';

/**
 * Stores the model that the user chose with its session. Does nothing if the session is not stored yet, or if another
 * process is at work on it: the next message then stores the model.
 */
export async function keepModel(store: Store, sessionId: string, model: string): Promise<void> {
  try {
    await setModelName(store, sessionId, model);
  } catch (error) {
    if (!isShallotError(error, 'SESSION_NOT_FOUND') && !isShallotError(error, 'STORE_CONFLICT')) throw error;
  }
}
