import type { JsonSchema, JsonValue } from '@shallot/core';
import { isJsonObject } from '@shallot/core/plugin';

/** A choice with an explanation. */
export interface DescribedChoice {
  readonly label: string;
  readonly description?: string;
}

/** A question as the model writes it. */
export interface Question {
  readonly question: string;
  readonly choices?: readonly (string | DescribedChoice)[];
  readonly several?: boolean;
  /** True if only the choices are accepted. */
  readonly strict?: boolean;
}

/** The answer that declines a question. */
const declined = { const: null, title: 'I decline to answer' };

/** Returns the schema of the answer: for several questions, an object with a member for each. */
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

/** Returns the answers in the order of the questions, from a value that matches `answerSchema`. */
export function answersTo(questions: readonly Question[], answer: JsonValue): readonly JsonValue[] {
  if (questions.length === 1) return [answer];
  return questions.map((_, index) => (isJsonObject(answer) ? answer[keyOf(index)] : undefined) ?? null);
}

/** Returns the questions as plain text, for people. */
export function describeQuestions(questions: readonly Question[]): string {
  return questions
    .map((each, index) => `${number(questions, index)}${each.question}${hint(each)}`)
    .join('\n');
}

/** Returns the questions with their answers, for the model. */
export function describeAnswers(questions: readonly Question[], answers: readonly JsonValue[]): string {
  return questions
    .map(({ question }, index) => `${number(questions, index)}${question}\n${show(answers[index] ?? null)}`)
    .join('\n');
}

function schemaOf({ question: title, choices, several = false, strict = false }: Question): JsonSchema {
  if (choices === undefined) return { title, anyOf: [{ type: 'string' }, declined] };
  const offered = [
    ...choices.map((choice): JsonSchema => {
      const { label, description } = described(choice);
      return { const: label, ...(description === undefined ? {} : { description }) };
    }),
    ...(strict ? [] : [{ type: 'string', minLength: 1, title: 'Other' }]),
  ];
  if (!several) return { title, anyOf: [...offered, declined] };
  return { title, anyOf: [{ type: 'array', items: { anyOf: offered }, uniqueItems: true }, declined] };
}

function described(choice: string | DescribedChoice): DescribedChoice {
  return typeof choice === 'string' ? { label: choice } : choice;
}

function keyOf(index: number): string {
  return `question_${index + 1}`;
}

function number(questions: readonly Question[], index: number): string {
  return questions.length === 1 ? '' : `${index + 1}. `;
}

function hint({ choices, several = false, strict = false }: Question): string {
  if (choices === undefined) return '';
  const chosen = several ? 'choose any number' : 'choose one';
  const labels = choices.map((choice) => described(choice).label).join(', ');
  return ` (${chosen}: ${labels}${strict ? '' : ', or answer in your own words'})`;
}

function show(answer: JsonValue): string {
  if (Array.isArray(answer)) return answer.length === 0 ? '(none of them)' : answer.join(', ');
  if (answer === null) return '(the user declined to answer)';
  if (typeof answer === 'string') return answer.trim() === '' ? '(no answer)' : answer;
  return JSON.stringify(answer);
}
