import { isClaimLive } from '../base/claim.ts';
import { isShallotError, ShallotError } from '../base/errors.ts';
import { freezeJson } from '../base/json.ts';
import { validatorOf } from '../base/schema.ts';
import type { Answers, Interrupt } from '../contract/interrupt.ts';
import { toolCallsOf, type Message } from '../contract/messages.ts';
import type { RunRecord, SessionRecord, Store } from '../contract/store.ts';
import { Change } from './change.ts';
import { claimConflict } from './commit-checks.ts';
import { loadRecord } from './load-record.ts';

/** The questions that a session waits for; none when it does not wait, or is not there. No agent is needed. */
export async function pendingInterrupts(store: Store, sessionId: string): Promise<readonly Interrupt[]> {
  return openInterrupts((await loadRecord(store, sessionId))?.run);
}

/** The questions of a run that have no answer yet. */
export function openInterrupts(run: RunRecord | undefined): readonly Interrupt[] {
  if (run === undefined) return [];
  return run.interrupts.filter(({ id }) => !Object.hasOwn(run.answers, id));
}

export interface AnswerOptions {
  /** How long to wait for the process at work on the session, in milliseconds. Default: until its step is over. */
  readonly waitMs?: number;
  /** Ends the waiting: the answers are not kept then. */
  readonly signal?: AbortSignal;
}

/** How often to look whether a step is over, in milliseconds: at first, and after a while. */
const [firstPauseMs, longestPauseMs] = [20, 500];

/**
 * Puts answers on record, without an agent: whoever resumes the session next goes on with them. All are checked before
 * any is kept. While a process is at work on the session, in whatever place, this waits for the end of its step, or until its claim lapses.
 * @throws `INTERRUPT_UNKNOWN`, `INTERRUPT_ANSWER`, `SESSION_NOT_FOUND`; `STORE_CONFLICT` after `waitMs`; the reason of `signal`
 */
export async function answerInterrupts(
  store: Store,
  sessionId: string,
  answers: Answers,
  options: AnswerOptions = {},
): Promise<void> {
  await whenReleased(store, sessionId, options, () => answerNow(store, sessionId, answers));
}

/** Changes a session as soon as nobody is at work on it. What may be tried again fails with `STORE_CONFLICT`. */
export async function whenReleased<T>(
  store: Store,
  sessionId: string,
  { waitMs = Infinity, signal }: AnswerOptions,
  change: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const end = performance.now() + waitMs;
  let watched: Change | undefined;
  try {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      watched?.begin();
      try {
        return await change();
      } catch (error) {
        // Another answer may have come first, or the step has not ended.
        if (!isShallotError(error, 'STORE_CONFLICT') || performance.now() >= end) throw error;
      }
      watched ??= await Change.of(store, sessionId);
      await watched.wait(Math.min(pauseMs, end - performance.now()), signal);
      signal?.throwIfAborted();
    }
  } finally {
    await watched?.[Symbol.asyncDispose]();
  }
}

async function answerNow(store: Store, sessionId: string, answers: Answers): Promise<void> {
  const record = await loadRecord(store, sessionId);
  if (record?.run === undefined) {
    throw new ShallotError('SESSION_NOT_FOUND', {
      message: `No session "${sessionId}" is waiting for answers.`,
    });
  }
  const merged = await mergeAnswers(record.run, answers);
  refuseClaimed(record);
  await store.commit(sessionId, record.revision, { run: { ...record.run, answers: merged } });
}

/** @throws `STORE_CONFLICT` while a run is at work on the session */
export function refuseClaimed({ id: sessionId, claim }: SessionRecord): void {
  if (claim === undefined || !isClaimLive(claim)) return;
  throw claimConflict(sessionId, claim);
}

/** Questions about the calls of a turn in the order of the calls, whichever was asked first. */
export function inCallOrder(
  interrupts: readonly Interrupt[],
  turn: Message | undefined,
): readonly Interrupt[] {
  if (turn === undefined || interrupts.length < 2) return interrupts;
  const calls = toolCallsOf(turn).map(({ id }) => id);
  const place = ({ call }: Interrupt): number => (call === undefined ? -1 : calls.indexOf(call.id));
  return interrupts.toSorted((a, b) => place(a) - place(b));
}

/** The answers of a run with more of them. @throws `INTERRUPT_UNKNOWN`, `INTERRUPT_ANSWER` */
export async function mergeAnswers(run: RunRecord, answers: Answers): Promise<Answers> {
  const open = openInterrupts(run);
  for (const [id, answer] of Object.entries(answers)) {
    const interrupt = open.find((each) => each.id === id);
    if (interrupt === undefined) throw unknown(id, run, open);
    freezeJson(answer, `the answer to ${id}`);
    const checked = await validatorOf(interrupt.answerSchema)(answer);
    if (!checked.ok) {
      throw new ShallotError('INTERRUPT_ANSWER', {
        message: `The answer to ${id} (${interrupt.kind}, asked by ${interrupt.plugin}) is not valid:\n${checked.issues}\nIt is still open.`,
        plugin: interrupt.plugin,
      });
    }
  }
  return { ...run.answers, ...answers };
}

function unknown(id: string, run: RunRecord, open: readonly Interrupt[]): ShallotError {
  const why = Object.hasOwn(run.answers, id) ? 'is already answered' : 'is not pending';
  const pending = open.length === 0 ? 'Nothing is.' : `Pending: ${open.map((each) => each.id).join(', ')}.`;
  return new ShallotError('INTERRUPT_UNKNOWN', { message: `The interrupt "${id}" ${why}. ${pending}` });
}
