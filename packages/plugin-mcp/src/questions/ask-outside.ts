import type { JsonObject, JsonSchema, ToolContext } from '@shallot/core';

import { isJsonObject } from '../is-json-object.ts';
import type { ElicitAnswer, ElicitQuestion } from './question.ts';

/** The answers that do not give the requested data. */
const refusals = [
  { const: 'decline', description: 'Tells the server no.' },
  { const: 'cancel', description: 'Tells the server that nothing was decided.' },
] as const;

/** Asks a question as an interrupt, which may be answered later and from another process. */
export async function askOutside(
  question: ElicitQuestion,
  interrupt: ToolContext['interrupt'],
): Promise<ElicitAnswer> {
  const answer = await interrupt({
    kind: 'mcp/elicitation',
    payload: question,
    answer: answerSchema(question),
  });
  if (answer === 'decline' || answer === 'cancel') return { action: answer };
  if (question.mode === 'url' || !isJsonObject(answer)) return { action: 'accept' };
  return { action: 'accept', content: withDefaults(question.requestedSchema, answer) };
}

/**
 * Returns the schema of the answer: the server's own schema, or a refusal; for a page, the confirmation of the visit.
 */
function answerSchema(question: ElicitQuestion): JsonSchema {
  if (question.mode === 'url')
    return { oneOf: [{ const: 'accept', description: 'The page was visited.' }, ...refusals] };
  return { anyOf: [question.requestedSchema, ...refusals] };
}

/** Adds the form's defaults for omitted values. */
function withDefaults({ properties }: JsonObject, content: JsonObject): JsonObject {
  const members = Object.entries(isJsonObject(properties) ? properties : {});
  const defaults = members.flatMap(([key, member]) =>
    isJsonObject(member) && member['default'] !== undefined ? [[key, member['default']] as const] : [],
  );
  return { ...Object.fromEntries(defaults), ...content };
}
