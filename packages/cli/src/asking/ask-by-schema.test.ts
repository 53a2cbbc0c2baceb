import type { JsonObject } from '@shallot/core';
import { describe, expect, it } from 'vitest';

import type { Prompts } from '../terminal/prompts.ts';
import { askBySchema } from './ask-by-schema.ts';

/** Prompts that are answered by these texts: the label of a choice, or what is typed. */
function answeredBy(...answers: string[]): { readonly prompts: Prompts; readonly asked: string[] } {
  const asked: string[] = [];
  const next = (message: string): string => {
    asked.push(message);
    return answers.shift() ?? '';
  };
  return {
    asked,
    prompts: {
      async choose(message, choices) {
        const label = next(message);
        const choice = choices.find((each) => each.label === label);
        if (choice === undefined) throw new Error(`there is no ${label} in ${JSON.stringify(choices)}`);
        return choice.value;
      },
      async chooseSeveral(message, choices) {
        const labels = next(message).split(', ');
        return choices.filter(({ label }) => labels.includes(label)).map(({ value }) => value);
      },
      async text(message, { check } = {}) {
        for (;;) {
          const text = next(message);
          if (check?.(text) === undefined) return text;
        }
      },
    },
  };
}

describe('a question that is asked by its schema', () => {
  it.each<[JsonObject, string[], unknown]>([
    [{ type: 'boolean' }, ['false'], false],
    [{ type: 'string' }, ['yes'], 'yes'],
    [{ type: 'integer' }, ['many', '7'], 7],
    [{ enum: ['red', 1, null] }, ['null'], null],
    [{ anyOf: [{ const: 'a' }, { const: 'b' }] }, ['b'], 'b'],
    [{ anyOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { const: 'no' }] }, ['no'], 'no'],
    [
      { anyOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { const: 'no' }] },
      ['answer', 'x'],
      { a: 'x' },
    ],
    [{ anyOf: [{ type: 'object', properties: {} }, { const: 'no' }] }, ['answer'], {}],
    [
      {
        oneOf: [
          { const: 'a', title: 'Tea' },
          { const: 'b', title: 'Milk' },
        ],
      },
      ['Milk'],
      'b',
    ],
    [{ type: 'array', items: { enum: ['a', 'b', 'c'] } }, ['c, a'], ['a', 'c']],
    [{ type: 'array', items: { anyOf: [{ const: 1, title: 'One' }] } }, ['One'], [1]],
    [{ type: 'array' }, ['[', '[1]'], [1]],
    [{}, ['{"any":true}'], { any: true }],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, ['null'], null],
    [{ type: 'object', properties: { deep: { type: 'object' } } }, ['{"deep":{}}'], { deep: {} }],
  ])('%j', async (schema, answers, expected) => {
    expect(await askBySchema(schema, answeredBy(...answers).prompts)).toEqual(expected);
  });

  const other = { type: 'string', title: 'Other' };
  const none = { const: null, title: 'I decline' };
  const listed = { type: 'array', items: { anyOf: [{ const: 'a' }, { const: 'b' }, other] } };
  it.each<[string, JsonObject, string[], unknown]>([
    ['a choice', { anyOf: [{ const: 'a' }, other, none] }, ['a'], 'a'],
    ['another answer', { anyOf: [{ const: 'a' }, other, none] }, ['Other…', 'tea'], 'tea'],
    ['a refusal', { anyOf: [{ const: 'a' }, other, none] }, ['I decline'], null],
    ['text', { anyOf: [{ type: 'string' }, none] }, ['tea'], 'tea'],
    ['no text', { anyOf: [{ type: 'string' }, none] }, [''], null],
    ['several', { anyOf: [listed, none] }, ['b, a'], ['a', 'b']],
    ['several and another', { anyOf: [listed, none] }, ['a, Other…', 'tea'], ['a', 'tea']],
    ['a refusal of several', { anyOf: [listed, none] }, ['I decline'], null],
  ])('takes %s', async (_, schema, answers, expected) => {
    expect(await askBySchema(schema, answeredBy(...answers).prompts)).toEqual(expected);
  });

  it('asks such questions as members of an object, with what each choice means', async () => {
    const schema: JsonObject = {
      type: 'object',
      properties: {
        question_1: {
          title: 'Which?',
          anyOf: [{ const: 'a', description: 'The first.' }, { const: 'b' }, other, none],
        },
        question_2: { title: 'What else?', anyOf: [listed, none] },
      },
      required: ['question_1', 'question_2'],
    };
    const hints: unknown[] = [];
    const { prompts } = answeredBy('b', 'a');
    const choose: Prompts['choose'] = (message, choices) => {
      hints.push(...choices.map(({ label, hint }) => [label, hint]));
      return prompts.choose(message, choices);
    };
    expect(await askBySchema(schema, { ...prompts, choose })).toEqual({ question_1: 'b', question_2: ['a'] });
    expect(hints).toEqual([
      ['a', 'The first.'],
      ['b', undefined],
      ['Other…', undefined],
      ['I decline', undefined],
    ]);
  });

  it('asks for the members of a flat object, and leaves out what is optional and empty', async () => {
    const schema: JsonObject = {
      type: 'object',
      properties: {
        size: { enum: ['s', 'l'], description: 'of the cup' },
        milk: { type: 'boolean' },
        sugar: { type: 'number' },
        note: { type: 'string', title: 'Anything else?' },
      },
      required: ['size', 'note'],
    };
    const { prompts, asked } = answeredBy('l', '(leave empty)', '', '');
    expect(await askBySchema(schema, prompts)).toEqual({ size: 'l', note: '' });
    expect(asked).toEqual(['size (of the cup)', 'milk, optional', 'sugar, optional', 'Anything else?']);
  });
});
