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

/** A schema, values that it surely lets through, and others, of which the whole check has to judge. */
type Row = readonly [schema: JsonValue, certain: readonly unknown[], others: readonly unknown[]];

const own = { a: 1 };
const inherited = Object.create({ a: 1 }) as object;

const rows: readonly Row[] = [
  [true, [1, 'a', null], []],
  [false, [], [1, 'a', null]],
  [{}, [1, 'a', null, true, [], {}], [undefined]],
  [{ type: 'array' }, [[], [1]], [{}, 'a', null]],
  [{ type: 'boolean' }, [true, false], [0, 'true']],
  [{ type: 'integer' }, [1, -3], [1.5, '1', Infinity]],
  [{ type: 'null' }, [null], [0, undefined]],
  [{ type: 'number' }, [1, 1.5], [Number.NaN, Infinity, '1']],
  [{ type: 'object' }, [{}, { a: 1 }], [[], null, 'a']],
  [{ type: 'string' }, ['', 'a'], [1, null]],
  [{ type: ['string', 'null'] }, ['a', null], [1, {}]],
  [{ enum: ['a', 1, null, true] }, ['a', 1, null, true], ['b', 2, false, [], {}]],
  // Only scalars are compared; whatever else is equal takes longer to find.
  [{ enum: [own] }, [], [own]],
  [{ const: own }, [], [own]],
  [{ const: 1 }, [1], ['1', true]],
  [{ const: null }, [null], [0, undefined]],
  [{ required: ['a'] }, [{ a: undefined }, { a: 1, b: 1 }, [], 'x', null], [{}, { b: 1 }, inherited]],
  [{ properties: { a: { type: 'string' } } }, [{}, { a: 'x', b: 1 }, inherited, [], 'x'], [{ a: 1 }]],
  [{ additionalProperties: false }, [{}, [], 'x'], [{ a: 1 }]],
  [
    { properties: { a: true }, additionalProperties: { type: 'string' } },
    [{ a: 1 }, { a: 1, b: 'x' }],
    [{ b: 1 }, { b: 'x', c: 1 }],
  ],
  [{ items: { type: 'string' } }, [[], ['a', 'b'], 'x', {}], [[1], ['a', 1]]],
  [{ minimum: 1 }, [1, 2, 'a', null], [0.9]],
  [{ maximum: 1 }, [1, 0, 'a', null], [1.1]],
  [{ exclusiveMinimum: 1 }, [1.1, 'a'], [1, 0]],
  [{ exclusiveMaximum: 1 }, [0.9, 'a'], [1, 2]],
  // Two code units may be one character.
  [{ minLength: 2 }, ['abcd', 'abcde', 1], ['abc', 'ab', 'a']],
  [{ maxLength: 2 }, ['', 'ab', 1], ['abc']],
  [{ minItems: 2 }, [[1, 2], [1, 2, 3], 'a', {}], [[1], []]],
  [{ maxItems: 2 }, [[], [1, 2], 'a', {}], [[1, 2, 3]]],
  [{ type: 'string', maxLength: 2 }, ['ab'], [1, 'abc']],
];

it.each(rows)('%o surely lets through %o, and not %o', (schema, certain, others) => {
  const surely = surelyFits(schema);
  expect(certain.map((value) => surely?.(value))).toEqual(certain.map(() => true));
  expect(others.map((value) => surely?.(value))).toEqual(others.map(() => false));
});

it.each([
  '$comment',
  '$defs',
  '$schema',
  'default',
  'definitions',
  'deprecated',
  'description',
  'examples',
  'readOnly',
  'title',
  'writeOnly',
])('the keyword %s restricts nothing', (keyword) => {
  expect(surelyFits({ [keyword]: 'x', type: 'string' })?.('a')).toBe(true);
});

it.each<JsonObject>([
  { multipleOf: 2 },
  { uniqueItems: true },
  { minLength: '1' },
  { not: false },
  { items: { multipleOf: 2 } },
  { properties: { a: true, b: { multipleOf: 2 } } },
  { additionalProperties: { multipleOf: 2 } },
])('of %o nothing is certain', (schema) => {
  expect(surelyFits(schema)).toBeUndefined();
});
