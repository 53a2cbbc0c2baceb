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
