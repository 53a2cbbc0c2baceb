import { isShallotError, ShallotError, type Interrupt } from '@shallot/core';
import { visible } from '@shallot/core/plugin';
import type { SessionRecord, Store } from '@shallot/core/store';

/** An open question, and its session. */
export interface Question {
  readonly sessionId: string;
  readonly interrupt: Interrupt;
}

/** Called for a damaged session, which cannot be read. */
export type OnDamaged = (error: unknown) => void;

/** Yields the open questions of all sessions, the last changed session first. */
export async function* openQuestions(store: Store, onDamaged: OnDamaged): AsyncGenerator<Question> {
  for await (const { id: sessionId, interrupts, damaged } of store.list()) {
    if (interrupts === 0 && damaged !== true) continue;
    const record = await loadWhole(store, sessionId, onDamaged);
    if (record !== undefined) yield* openIn(record);
  }
}

/** Loads a session; reports a damaged one, so that it does not hide the others. */
async function loadWhole(
  store: Store,
  sessionId: string,
  onDamaged: OnDamaged,
): Promise<SessionRecord | undefined> {
  try {
    return await store.load(sessionId);
  } catch (error) {
    if (!isShallotError(error, 'STORE_DAMAGED')) throw error;
    onDamaged(error);
    return undefined;
  }
}

/** Returns the open questions of a session. */
export function openIn({ id: sessionId, run }: SessionRecord): Question[] {
  if (run === undefined) return [];
  const { interrupts, answers } = run;
  return interrupts.flatMap((interrupt) =>
    Object.hasOwn(answers, interrupt.id) ? [] : [{ sessionId, interrupt }],
  );
}

const shown = 5;

/** Finds an open question by its id or a unique prefix. @throws `INTERRUPT_UNKNOWN` if there is none, or several */
export async function findQuestion(store: Store, text: string, onDamaged: OnDamaged): Promise<Question> {
  const open: Question[] = [];
  for await (const question of openQuestions(store, onDamaged)) {
    if (question.interrupt.id === text) return question;
    open.push(question);
  }
  const found = text === '' ? [] : open.filter(({ interrupt }) => interrupt.id.startsWith(text));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (only !== undefined) {
    throw unknown(
      `More than one open question starts with "${visible(text)}": ${list(found)}. Type more of the id.`,
    );
  }
  const answered = text === '' ? undefined : await findAnswered(store, text);
  if (answered !== undefined) {
    throw unknown(
      `The question "${visible(text)}" is already answered. Continue its session ${visible(answered)} with: shallot resume.`,
    );
  }
  const rest = open.length === 0 ? 'No question is open.' : `Open: ${list(open)}. See shallot pending.`;
  throw unknown(
    `There is no open question "${visible(text)}": it was never asked, or its run has continued. ${rest}`,
  );
}

/** Returns an interrupted session in which a question whose id starts like this is answered; undefined if there is none. */
async function findAnswered(store: Store, id: string): Promise<string | undefined> {
  for await (const { id: sessionId } of store.list({ status: 'interrupted' })) {
    // Damaged sessions have already been reported.
    const { run } = (await loadWhole(store, sessionId, () => undefined)) ?? {};
    if (run !== undefined && Object.keys(run.answers).some((answered) => answered.startsWith(id)))
      return sessionId;
  }
  return undefined;
}

function list(questions: readonly Question[]): string {
  const ids = questions.slice(0, shown).map(({ interrupt }) => visible(interrupt.id));
  return `${ids.join(', ')}${questions.length > shown ? ', …' : ''}`;
}

function unknown(message: string): ShallotError {
  return new ShallotError('INTERRUPT_UNKNOWN', { message });
}
