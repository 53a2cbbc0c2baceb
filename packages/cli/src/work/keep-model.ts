import { isShallotError } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import { setModelName } from '@shallot/core/work';

/**
 * Notes the model that a person chose with its session. Does nothing if that is not stored yet or another process is at
 * work on it: the next message notes the model.
 */
export async function keepModel(store: Store, sessionId: string, model: string): Promise<void> {
  try {
    await setModelName(store, sessionId, model);
  } catch (error) {
    if (!isShallotError(error, 'SESSION_NOT_FOUND') && !isShallotError(error, 'STORE_CONFLICT')) throw error;
  }
}
