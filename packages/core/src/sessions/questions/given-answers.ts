import { isObject } from '../../base/is-object.ts';
import { frozenJson } from '../../base/json/frozen-json.ts';
import type { GivenAnswer } from '../../contract/interrupt.ts';
import { wholeMessage, type Message } from '../../contract/messages.ts';
import type { RunRecord } from '../../contract/store.ts';

/** Returns the answers that were given to a call of the run; without `callId`, those given to before and after hooks. */
export function givenAnswers(
  { answers, answered = {} }: Pick<RunRecord, 'answers'> & { readonly answered?: RunRecord['answered'] },
  callId?: string,
): readonly GivenAnswer[] {
  return Object.entries(answered).flatMap(([id, { callId: asker, ...note }]) => {
    const answer = answers[id];
    return asker === callId && answer !== undefined ? [{ ...note, answer }] : [];
  });
}

/** Returns the message with these answers in its metadata, and with no others, since only the core may write them. */
export function withAnswers<M extends Message>(message: M, given: readonly GivenAnswer[]): M {
  const { core: known, ...rest } = message.metadata ?? {};
  if (given.length === 0 && (!isObject(known) || known['answers'] === undefined)) return message;
  const { answers: _, ...core } = isObject(known) ? known : {};
  const noted = given.length === 0 ? core : { ...core, answers: given };
  const metadata = Object.keys(noted).length === 0 ? rest : { ...rest, core: noted };
  return wholeMessage({ ...message, metadata: frozenJson(metadata, 'the answers to a question') });
}
