import type { Interrupt, JsonValue } from '@shallot/core';

import { questionView } from '../api/views.ts';
import { member } from '../http/member.ts';

/** Returns a question as an interrupt of AG-UI. The metadata has everything that the API lists of the question. */
export function agUiInterrupt(interrupt: Interrupt): object {
  const { id, kind, call, under, answerSchema } = interrupt;
  const { payload, plugin, createdAt, ...rest } = questionView(interrupt);
  const toolCallId = under?.[0] ?? call?.id;
  return {
    id,
    reason: kind,
    message: promptOf(interrupt),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    responseSchema: answerSchema,
    metadata: { payload, plugin, createdAt, ...(rest.call === undefined ? {} : { call: rest.call }) },
  };
}

/** Returns a sentence for the person who answers. */
function promptOf({ kind, call, payload }: Interrupt): string {
  const said = [payload, member(payload, 'message'), member(payload, 'description')];
  const text = said.find((each) => typeof each === 'string');
  if (text !== undefined) return text;
  return call === undefined ? kind : `${kind}: ${call.name}`;
}

/**
 * Returns the answer that refuses a question: a decision, a word, or null for each question; undefined if the schema
 * has no such answer.
 */
export function refusalOf({ answerSchema }: Interrupt): JsonValue | undefined {
  const properties = member(answerSchema, 'properties');
  if (names(member(properties, 'decision'), 'reject')) return { decision: 'reject' };
  const word = ['cancel', 'decline'].find((each) => names(answerSchema, each));
  if (word !== undefined) return word;
  const questions = typeof properties === 'object' && properties !== null ? Object.entries(properties) : [];
  return questions.length > 0 && questions.every(([, schema]) => names(schema, null))
    ? Object.fromEntries(questions.map(([key]) => [key, null]))
    : undefined;
}

/** Returns true if a schema allows a value: as a constant, in an enumeration, or in an alternative. */
function names(schema: unknown, value: JsonValue): boolean {
  const isListed = (list: unknown): boolean => Array.isArray(list) && list.includes(value);
  const alternatives = [member(schema, 'anyOf'), member(schema, 'oneOf')].flat();
  return (
    member(schema, 'const') === value ||
    isListed(member(schema, 'enum')) ||
    alternatives.some((each) => each !== undefined && names(each, value))
  );
}
