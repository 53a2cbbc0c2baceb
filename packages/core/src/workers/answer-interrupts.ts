import { isClaimLive } from '../base/claim.ts';
import { isShallotError, ShallotError } from '../base/errors.ts';
import { randomId } from '../base/node-crypto.ts';
import type { Answers, Interrupt } from '../contract/interrupt.ts';
import type { RunRecord, SessionHead, Store } from '../contract/store.ts';
import type { SentAnswers } from '../contract/work/inbox.ts';
import { readOptions } from '../options/option-shape.ts';
import { byOption } from '../options/plain-options.ts';
import { openInterrupts } from '../sessions/content/open-interrupts.ts';
import { mergeAnswers } from '../sessions/questions/merge-answers.ts';
import { refuseClaimed } from '../sessions/stores/commit-checks.ts';
import { checkOwner, refuseChild } from '../sessions/stores/for-owner.ts';
import { loadHead } from '../sessions/stores/load-head.ts';
import { whenReleased, type WaitOptions } from '../sessions/stores/when-released.ts';

/** Options of `answerInterrupts`. */
export interface AnswerOptions extends WaitOptions {
  /**
   * The name of the person or program that answers, up to 100 characters. It is kept with the answer, in the metadata of
   * the message that follows it.
   */
  readonly by?: string;
}

/**
 * Returns the questions that a session waits for; an empty list if there are none or no such session. Needs no agent.
 */
export async function pendingInterrupts(store: Store, sessionId: string): Promise<readonly Interrupt[]> {
  return openInterrupts((await loadHead(store, sessionId))?.run);
}

/**
 * Records answers without an agent. All answers are validated before any is stored. A process that executes other calls
 * of the step takes the answers for a call at once; otherwise the next resume uses them. Resolves when the run has
 * them, at the latest when the step of that process has ended, or its claim has expired. @throws `INTERRUPT_UNKNOWN`,
 * `INTERRUPT_ANSWER`, `OPTION_INVALID`, `SESSION_NOT_FOUND`, `SESSION_OF_ANOTHER`, `SESSION_IS_CHILD`; `STORE_CONFLICT`
 * after `waitMs`; the reason of `signal`
 */
export async function answerInterrupts(
  store: Store,
  sessionId: string,
  answers: Answers,
  options: AnswerOptions = {},
): Promise<void> {
  const { by } = options;
  if (by !== undefined) readOptions('answerInterrupts', { by: byOption }, { by });
  const giving = new Giving(store, sessionId, answers, options);
  try {
    await whenReleased(store, sessionId, options, () => giving.attempt());
  } catch (error) {
    const isWithRun = !(await giving.takeBack());
    if (!isWithRun || isShallotError(error, 'INTERRUPT_UNKNOWN')) throw error;
  }
}

/** Answers on their way to a run: through its inbox while a process works on it, else into its record. */
class Giving {
  readonly #store: Store;
  readonly #sessionId: string;
  readonly #entry: SentAnswers;
  readonly #owner: string | undefined;
  #isSent = false;

  constructor(store: Store, sessionId: string, answers: Answers, { owner, by }: AnswerOptions) {
    this.#store = store;
    this.#sessionId = sessionId;
    this.#owner = owner;
    this.#entry = { id: randomId('answers'), answers, ...(by === undefined ? {} : { by }) };
  }

  /** @throws `STORE_CONFLICT` while a process works on the run and has not taken the answers */
  async attempt(): Promise<void> {
    const record = await loadRun(this.#store, this.#sessionId, this.#owner);
    // Checked after the record was read: if the answers are still in the inbox, the run of this record has not taken
    // them.
    if (this.#isSent && !(await this.#isInInbox())) {
      this.#isSent = false;
      return;
    }
    const { answers, by } = this.#entry;
    const merged = await mergeAnswers(record.run, answers, by);
    if (record.claim !== undefined && isClaimLive(record.claim)) {
      if (!this.#isSent) this.#isSent = (await this.#store.send?.(this.#sessionId, this.#entry)) ?? false;
      refuseClaimed(record);
    }
    await this.takeBack();
    await this.#store.commit(this.#sessionId, record.revision, { run: { ...freed(record.run), ...merged } });
  }

  /** Withdraws the answers from the inbox. Returns false if the process has taken them, or is about to. */
  async takeBack(): Promise<boolean> {
    if (this.#isSent) this.#isSent = (await this.#store.unsend?.(this.#sessionId, this.#entry.id)) !== true;
    return !this.#isSent;
  }

  async #isInInbox(): Promise<boolean> {
    const entries = (await this.#store.inbox?.(this.#sessionId)) ?? [];
    return entries.some(({ id }) => id === this.#entry.id);
  }
}

/** @throws `SESSION_NOT_FOUND`, `SESSION_OF_ANOTHER`, `SESSION_IS_CHILD` */
async function loadRun(
  store: Store,
  sessionId: string,
  owner: string | undefined,
): Promise<SessionHead & { readonly run: RunRecord }> {
  const record = await loadHead(store, sessionId);
  if (record?.run === undefined) {
    throw new ShallotError('SESSION_NOT_FOUND', {
      message: `No session "${sessionId}" is waiting for answers.`,
    });
  }
  checkOwner(record, { owner });
  refuseChild(record);
  return { ...record, run: record.run };
}

/** Removes the data that keeps workers from a run, since an answer means that it should continue. */
function freed({ parked, failure, attempts: _, ...run }: RunRecord): RunRecord {
  return parked === true || failure === undefined ? run : { ...run, failure };
}
