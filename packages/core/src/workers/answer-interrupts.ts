import { ShallotError } from '../base/errors.ts';
import type { Answers, Interrupt } from '../contract/interrupt.ts';
import type { RunRecord, Store } from '../contract/store.ts';
import { readOptions } from '../options/option-shape.ts';
import { byOption } from '../options/plain-options.ts';
import { openInterrupts } from '../sessions/content/open-interrupts.ts';
import { mergeAnswers } from '../sessions/questions/merge-answers.ts';
import { refuseClaimed } from '../sessions/stores/commit-checks.ts';
import { checkOwner } from '../sessions/stores/for-owner.ts';
import { loadHead } from '../sessions/stores/load-head.ts';
import { whenReleased, type WaitOptions } from '../sessions/stores/when-released.ts';

/** Options of `answerInterrupts`. */
export interface AnswerOptions extends WaitOptions {
  /** Names who answers, in up to 100 characters: kept with the answer, in the metadata of the message that follows it. */
  readonly by?: string;
}

/**
 * Returns the questions that a session waits for; an empty list if there are none or no such session. Needs no agent.
 */
export async function pendingInterrupts(store: Store, sessionId: string): Promise<readonly Interrupt[]> {
  return openInterrupts((await loadHead(store, sessionId))?.run);
}

/**
 * Records answers without an agent: the next resume uses them. All answers are validated before any is stored. While
 * another process works on the session, this waits for the end of its step, or until its claim expires. @throws
 * `INTERRUPT_UNKNOWN`, `INTERRUPT_ANSWER`, `OPTION_INVALID`, `SESSION_NOT_FOUND`; `STORE_CONFLICT` after `waitMs`; the
 * reason of `signal`
 */
export async function answerInterrupts(
  store: Store,
  sessionId: string,
  answers: Answers,
  options: AnswerOptions = {},
): Promise<void> {
  const { by } = options;
  if (by !== undefined) readOptions('answerInterrupts', { by: byOption }, { by });
  await whenReleased(store, sessionId, options, () => answerNow(store, sessionId, answers, options));
}

async function answerNow(
  store: Store,
  sessionId: string,
  answers: Answers,
  { owner, by }: AnswerOptions,
): Promise<void> {
  const record = await loadHead(store, sessionId);
  if (record?.run === undefined) {
    throw new ShallotError('SESSION_NOT_FOUND', {
      message: `No session "${sessionId}" is waiting for answers.`,
    });
  }
  checkOwner(record, { owner });
  const merged = await mergeAnswers(record.run, answers, by);
  refuseClaimed(record);
  await store.commit(sessionId, record.revision, { run: { ...freed(record.run), ...merged } });
}

/** Removes what keeps workers from a run: an answer means that it is to go on. */
function freed({ parked, failure, attempts: _, ...run }: RunRecord): RunRecord {
  return parked === true || failure === undefined ? run : { ...run, failure };
}
