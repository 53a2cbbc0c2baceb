import { definePlugin, defineTool, type JsonSchema, type JsonValue, type Tool } from '@shallot/core';
import { textPart } from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { askUserOptions, type Settings } from './options.ts';
import { answersTo, answerSchema, describeAnswers, describeQuestions, type Question } from './question.ts';

/**
 * Gives the model a tool that asks the user. The question is an interrupt: a chat asks it in place; otherwise the run
 * waits for an answer, which may come days later and from another process.
 */
export const askUser = definePlugin({
  name: 'ask-user',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 43,
  options: askUserOptions,
  setup({ options, tools }) {
    tools.add(askUserTool(options));
  },
});

function askUserTool({ toolName, maxQuestions }: Settings): Tool {
  return defineTool({
    name: toolName,
    title: 'Ask the user',
    kind: 'other',
    // Repeating the call does no harm: the answer is stored with it.
    effect: 'read',
    description:
      'Asks the user questions and waits for the answers. Use it when you cannot go on without a decision or a fact that only the user knows. ' +
      'Give choices where there are some; without choices the user writes text. ' +
      'The user may always answer in other words, unless the question is strict, or decline.',
    input: inputSchema(maxQuestions),
    async execute(input, { interrupt }) {
      const { questions } = input;
      if (!isQuestions(questions)) throw new TypeError('questions is not a list');
      const answer: JsonValue = await interrupt({
        kind: 'question',
        payload: { message: describeQuestions(questions) },
        answer: answerSchema(questions),
      });
      const answers = answersTo(questions, answer);
      return { content: [textPart(describeAnswers(questions, answers))], data: { answers } };
    },
  });
}

/** Checks only the list; the schema has validated its members. */
function isQuestions(value: unknown): value is readonly Question[] {
  return Array.isArray(value);
}

const choiceText: JsonSchema = { type: 'string', minLength: 1, maxLength: 200 };

const describedChoice: JsonSchema = {
  type: 'object',
  properties: {
    label: choiceText,
    description: { type: 'string', maxLength: 500, description: 'What the choice means, in one sentence.' },
  },
  required: ['label'],
  additionalProperties: false,
};

function inputSchema(maxQuestions: number): JsonSchema {
  const question: JsonSchema = {
    type: 'object',
    properties: {
      question: {
        type: 'string',
        minLength: 1,
        maxLength: 1000,
        description: 'The question, in one sentence.',
      },
      choices: {
        type: 'array',
        items: { anyOf: [choiceText, describedChoice] },
        minItems: 2,
        maxItems: 20,
        uniqueItems: true,
        description: 'The answers to choose from. Leave them out for free text.',
      },
      strict: {
        type: 'boolean',
        description: 'Nothing but the choices is accepted. Default: false.',
      },
      several: { type: 'boolean', description: 'Several choices may be chosen, or none. Default: false.' },
    },
    required: ['question'],
    additionalProperties: false,
  };
  return {
    type: 'object',
    properties: { questions: { type: 'array', items: question, minItems: 1, maxItems: maxQuestions } },
    required: ['questions'],
    additionalProperties: false,
  };
}
