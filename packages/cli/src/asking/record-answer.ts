import type { JsonValue } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import { answerInterrupts } from '@shallot/core/work';

import type { Screen } from '../terminal/screen.ts';

/** The time after which a line reports the wait, in milliseconds. */
const silentMs = 1000;

/**
 * Records an answer for the run of a session, whether or not it is at work, and says so if it has to wait. @throws
 * `INTERRUPT_UNKNOWN`, `INTERRUPT_ANSWER`
 */
export async function recordAnswer(
  store: Store,
  sessionId: string,
  id: string,
  answer: JsonValue,
  screen: Screen,
): Promise<void> {
  const late = setTimeout(() => {
    screen.note(
      screen.paintNotes.dim('A run is at work on the session. Waiting until it takes the answer …'),
    );
  }, silentMs);
  try {
    await answerInterrupts(store, sessionId, { [id]: answer }, { by: 'local' });
  } finally {
    clearTimeout(late);
  }
}
