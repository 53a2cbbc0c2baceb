import { ShallotError } from '../../base/errors.ts';
import { frozenJson } from '../../base/json/frozen-json.ts';
import { validatorOf } from '../../base/schema.ts';
import type { AnswerNote, Answers, Interrupt } from '../../contract/interrupt.ts';
import type { RunRecord } from '../../contract/store.ts';
import { askerOf, openInterrupts } from '../content/open-interrupts.ts';
import type { GivenTo } from './questions.ts';

/**
 * Returns the answers of a run with validated new ones added, given by `by`. @throws `INTERRUPT_UNKNOWN`,
 * `INTERRUPT_ANSWER`
 */
export async function mergeAnswers(
  run: RunRecord,
  answers: Answers,
  by?: string | ((id: string) => string | undefined),
): Promise<GivenTo> {
  const open = openInterrupts(run);
  const taken: Record<string, Answers[string]> = {};
  const notes: Record<string, AnswerNote> = {};
  const at = new Date().toISOString();
  for (const [id, given] of Object.entries(answers)) {
    const interrupt = open.find((each) => each.id === id);
    if (interrupt === undefined) throw unknown(id, run, open);
    if (given === undefined)
      throw invalid(interrupt, 'it is undefined; write JSON, or leave the question out');
    const answer = frozenJson(given, `the answer to ${id}`);
    const checked = await validatorOf(interrupt.answerSchema)(answer);
    if (!checked.ok) throw invalid(interrupt, checked.issues);
    taken[id] = answer;
    const callId = askerOf(interrupt);
    const giver = typeof by === 'function' ? by(id) : by;
    notes[id] = {
      kind: interrupt.kind,
      ...(callId === undefined ? {} : { callId }),
      ...(giver === undefined ? {} : { by: giver }),
      at,
    };
  }
  const answered = { ...run.answered, ...notes };
  return {
    answers: { ...run.answers, ...taken },
    ...(Object.keys(answered).length === 0 ? {} : { answered }),
  };
}

function invalid({ id, kind, plugin }: Interrupt, issues: string): ShallotError {
  return new ShallotError('INTERRUPT_ANSWER', {
    message: `The answer to ${id} (${kind}, asked by ${plugin}) is not valid:\n${issues}\nIt is still open.`,
    plugin,
  });
}

function unknown(id: string, run: RunRecord, open: readonly Interrupt[]): ShallotError {
  const why = Object.hasOwn(run.answers, id) ? 'is already answered' : 'is not pending';
  const ids = open.map((each) => each.id).join(', ');
  const pending = ids === '' ? 'No question is open.' : `Pending: ${ids}.`;
  return new ShallotError('INTERRUPT_UNKNOWN', { message: `The interrupt "${id}" ${why}. ${pending}` });
}
