import { describe, expect, it } from 'vitest';

import type { JsonObject, JsonValue } from '../json.ts';
import { inspectorOf } from '../schema.ts';
import { surelyFits } from './surely-fits.ts';

/** The same schema, by a way that only the whole check knows. */
async function fits(schema: JsonValue, value: unknown): Promise<boolean> {
  return (await inspectorOf({ allOf: [schema] })(value)).ok;
}

const leaves: readonly JsonValue[] = [
  true,
  false,
  {},
  { type: 'string' },
  { type: 'integer' },
  { type: ['null', 'number'] },
  { enum: ['a', 1, null, { b: 1 }] },
  { const: 'a' },
  { const: [1] },
  { minimum: 1, maximum: 2 },
  { exclusiveMinimum: 1, exclusiveMaximum: 2 },
  { minLength: 2, maxLength: 3, title: 'T' },
  { minItems: 1, maxItems: 2 },
];

const values: readonly unknown[] = [
  null,
  true,
  0,
  1,
  1.5,
  2,
  3,
  Number.NaN,
  '',
  'a',
  'ab',
  '😀',
  '😀😀',
  'abcd',
  [],
  [1],
  ['a', 'ab'],
  [1, 2, 3],
  {},
  { a: 1 },
  { a: 'ab' },
  { a: 1, b: 1 },
  { b: 'a' },
  { a: null },
  { toString: 1 },
  [[1]],
  { a: { a: 1 } },
];

/** Each leaf, and what can be built of it. */
function* schemas(): Generator<JsonValue> {
  for (const leaf of leaves) {
    yield leaf;
    yield { type: 'array', items: leaf };
    yield { properties: { a: leaf }, required: ['a'] };
    yield { type: 'object', properties: { a: leaf }, additionalProperties: false };
    yield { additionalProperties: leaf, properties: { b: true }, description: 'D' };
    yield { type: 'object', properties: { a: { properties: { a: leaf }, required: ['a'] } } };
  }
}

describe('what a schema surely lets through', () => {
  it('fits by the whole check, too', async () => {
    let certain = 0;
    let wrong = 0;
    for (const schema of schemas()) {
      const surely = surelyFits(schema);
      for (const value of values) {
        if (surely?.(value) !== true) continue;
        certain += 1;
        if (!(await fits(schema, value))) wrong += 1;
      }
    }
    expect({ wrong, isMuch: certain > 500 }).toEqual({ wrong: 0, isMuch: true });
  });

  it('is what the schema of a common tool lets through', () => {
    const schema = {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1 },
        lines: { type: 'array', items: { type: 'integer' } },
      },
      required: ['path'],
      additionalProperties: false,
    };
    const surely = surelyFits(schema);
    expect(surely?.({ path: 'notes.md', lines: [1, 2] })).toBe(true);
    for (const wrong of [{}, { path: 1 }, { path: 'ab', lines: ['1'] }, { path: 'ab', more: 1 }, null, []])
      expect(surely?.(wrong)).toBe(false);
  });

  it.each<JsonObject>([
    { $ref: '#/$defs/a', $defs: { a: true } },
    { format: 'date' },
    { pattern: 'a' },
    { exclusiveMinimum: true, minimum: 1 },
    { items: [true], additionalItems: false },
    { prefixItems: [true], items: false },
    { patternProperties: { a: true }, additionalProperties: false },
    { properties: { a: { not: {} } } },
  ])('is nothing when it takes more to tell: %o', (schema) => {
    expect(surelyFits(schema)).toBeUndefined();
  });

  it('is never what is no JSON', () => {
    for (const value of [undefined, () => 1, 1n, Symbol('s')]) expect(surelyFits({})?.(value)).toBe(false);
    expect(surelyFits({ properties: { a: {} } })?.({ a: undefined })).toBe(false);
  });
});
