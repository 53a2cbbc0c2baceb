import { describe, expect, it } from 'vitest';

import { readDraft, type Draft } from './draft.ts';
import { fieldOf, titlesIn } from './field.ts';

/** Returns what a form of a schema gives, or what it objects to. */
function given(schema: Parameters<typeof fieldOf>[0], draft: Draft): unknown {
  const read = readDraft(fieldOf(schema), draft);
  return 'problem' in read ? `! ${read.problem}` : read.value;
}

describe('a form of a JSON Schema', () => {
  it('takes texts and numbers', () => {
    expect(given({ type: 'string' }, { text: 'bees' })).toBe('bees');
    expect(given({ type: 'string', minLength: 1 }, {})).toBe('! Write something.');
    expect(given({ type: 'number' }, { text: '1.5' })).toBe(1.5);
    expect(given({ type: 'integer' }, { text: '1.5' })).toBe('! Enter a whole number.');
    expect(given({ type: 'number' }, { text: 'many' })).toBe('! Enter a number.');
  });

  it('offers fixed values, with other words where the schema has them', () => {
    const schema = {
      anyOf: [{ const: 'a' }, { type: 'string', minLength: 1 }, { const: null, title: 'None' }],
    };
    expect(given(schema, {})).toBe('! Choose one.');
    expect(given(schema, { chosen: [0] })).toBe('a');
    expect(given(schema, { chosen: [1], inside: { 1: { text: 'b' } } })).toBe('b');
    expect(given(schema, { chosen: [2], inside: { 1: { text: 'b' } } })).toBe(null);
    expect(given({ enum: [1, 'two'] }, { chosen: [1] })).toBe('two');
    expect(given({ type: 'boolean' }, { chosen: [1] })).toBe(false);
    expect(fieldOf({ enum: ['a'], enumNames: ['Ada'] })).toMatchObject({ ways: [{ title: 'Ada' }] });
  });

  it('takes any number of choices', () => {
    const schema = { type: 'array', items: { anyOf: [{ const: 'a' }, { const: 'b' }, { type: 'string' }] } };
    expect(given(schema, { chosen: [2, 0], inside: { 2: { text: 'c' } } })).toEqual(['a', 'c']);
    expect(given(schema, {})).toEqual([]);
  });

  it('takes objects, and leaves out what is optional and empty', () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        size: { type: 'number', title: 'Size' },
        big: { type: 'boolean' },
      },
      required: ['size'],
    };
    expect(given(schema, { inside: { size: { text: '2' } } })).toEqual({ size: 2 });
    expect(given(schema, {})).toBe('! Size: Enter a number.');
    expect(titlesIn(fieldOf(schema))).toEqual(['Size']);
  });

  it('takes JSON for everything else', () => {
    for (const schema of [
      {},
      true,
      { type: 'array', items: { type: 'object' } },
      { $ref: '#' },
      { type: 'object' },
    ]) {
      expect(given(schema, { text: '{ "a": [1] }' })).toEqual({ a: [1] });
      expect(given(schema, { text: '{' })).toMatch(/^! This is not JSON/);
    }
  });
});
