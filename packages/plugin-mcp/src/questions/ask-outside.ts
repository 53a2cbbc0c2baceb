import type { JsonObject, JsonSchema, ToolContext } from '@shallot/core';

import { isJsonObject } from '../is-json-object.ts';
import type { ElicitAnswer, ElicitQuestion } from './question.ts';

/** What a person says in place of an answer. */
const refusals = [
  { const: 'decline', description: 'Tells the server no.' },
  { const: 'cancel', description: 'Tells the server that nothing was decided.' },
] as const;

/** Puts a question to the outside world: an interrupt, which may be answered tomorrow, from another process. */
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

/** The server's own schema, or one of the words for no; of a page, that it was visited. */
function answerSchema(question: ElicitQuestion): JsonSchema {
  if (question.mode === 'url')
    return { oneOf: [{ const: 'accept', description: 'The page was visited.' }, ...refusals] };
  return { anyOf: [question.requestedSchema, ...refusals] };
}

/** The answer with the defaults that the form has for what was left out. */
function withDefaults({ properties }: JsonObject, content: JsonObject): JsonObject {
  const members = Object.entries(isJsonObject(properties) ? properties : {});
  const defaults = members.flatMap(([key, member]) =>
    isJsonObject(member) && member['default'] !== undefined ? [[key, member['default']] as const] : [],
  );
  return { ...Object.fromEntries(defaults), ...content };
}
