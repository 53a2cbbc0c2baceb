import type { JsonObject, JsonSchema, JsonValue } from '@shallot/core';

/** A question as the model writes it. */
export interface Question {
  readonly question: string;
  readonly choices?: readonly string[];
  readonly several?: boolean;
}

/** The schema of the answer: of one question its own, of several an object with a member for each. */
export function answerSchema(questions: readonly Question[]): JsonSchema {
  const [first, ...others] = questions;
  if (first !== undefined && others.length === 0) return schemaOf(first);
  const members = questions.map((question, index) => [keyOf(index), schemaOf(question)] as const);
  return {
    type: 'object',
    properties: Object.fromEntries(members),
    required: members.map(([key]) => key),
    additionalProperties: false,
  };
}

/** The answers in the order of the questions, out of one that `answerSchema` lets through. */
export function answersTo(questions: readonly Question[], answer: JsonValue): readonly JsonValue[] {
  if (questions.length === 1) return [answer];
  return questions.map((_, index) => (isObject(answer) ? answer[keyOf(index)] : undefined) ?? null);
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The questions for people, as plain text. */
export function describeQuestions(questions: readonly Question[]): string {
  return questions
    .map((each, index) => `${number(questions, index)}${each.question}${hint(each)}`)
    .join('\n');
}

/** The questions with their answers, for the model. */
export function describeAnswers(questions: readonly Question[], answers: readonly JsonValue[]): string {
  return questions
    .map(({ question }, index) => `${number(questions, index)}${question}\n${show(answers[index] ?? null)}`)
    .join('\n');
}

function schemaOf({ question: title, choices, several = false }: Question): JsonSchema {
  if (choices === undefined) return { type: 'string', title };
  if (!several) return { enum: [...choices], title };
  return { type: 'array', items: { enum: [...choices] }, uniqueItems: true, title };
}

function keyOf(index: number): string {
  return `question_${index + 1}`;
}

function number(questions: readonly Question[], index: number): string {
  return questions.length === 1 ? '' : `${index + 1}. `;
}

function hint({ choices, several = false }: Question): string {
  if (choices === undefined) return '';
  const chosen = several ? 'choose any number' : 'choose one';
  return ` (${chosen}: ${choices.join(', ')})`;
}

function show(answer: JsonValue): string {
  if (Array.isArray(answer)) return answer.length === 0 ? '(none of them)' : answer.join(', ');
  if (typeof answer === 'string') return answer.trim() === '' ? '(no answer)' : answer;
  return JSON.stringify(answer);
}
