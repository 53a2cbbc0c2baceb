import { answerInterrupts, type JsonValue } from '@shallot/core';
import type { Store } from '@shallot/core/store';

import type { Screen } from '../terminal/screen.ts';

/** After this time, in milliseconds, a line shows what is waited for. */
const silentMs = 1000;

/**
 * Puts an answer on record, as soon as the step of the session's run that may be in progress is over.
 * @throws `INTERRUPT_UNKNOWN`, `INTERRUPT_ANSWER`
 */
export async function recordAnswer(
  store: Store,
  sessionId: string,
  id: string,
  answer: JsonValue,
  screen: Screen,
): Promise<void> {
  const late = setTimeout(() => {
    screen.note(screen.paintNotes.dim('A run is at work on the session. Waiting for the end of its step …'));
  }, silentMs);
  try {
    await answerInterrupts(store, sessionId, { [id]: answer });
  } finally {
    clearTimeout(late);
  }
}
