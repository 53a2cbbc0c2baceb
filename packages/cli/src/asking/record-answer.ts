import { setTimeout as delay } from 'node:timers/promises';

import { answerInterrupts, isShallotError, type JsonValue } from '@shallot/core';
import type { Store } from '@shallot/core/store';

const attempts = 4;
const pauseMs = 50;

/**
 * Puts an answer on record. Several people may answer the questions of one session at the same moment: who comes second
 * tries again. @throws `INTERRUPT_UNKNOWN`, `INTERRUPT_ANSWER`, and `STORE_CONFLICT` while a run is at work on the session
 */
export async function recordAnswer(
  store: Store,
  sessionId: string,
  id: string,
  answer: JsonValue,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await answerInterrupts(store, sessionId, { [id]: answer });
    } catch (error) {
      if (!isShallotError(error, 'STORE_CONFLICT') || attempt === attempts) throw error;
      await delay(pauseMs * attempt);
    }
  }
}
