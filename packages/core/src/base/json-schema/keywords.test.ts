import { describe, expect, it } from 'vitest';

import type { JsonObject, JsonValue } from '../json.ts';
import { validatorOf } from '../schema.ts';

/** A schema, values that fit it, and values that do not. */
type Row = readonly [JsonObject, readonly JsonValue[], readonly JsonValue[]];

const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#' };

const rows: readonly Row[] = [
  [{ type: 'string' }, ['', 'a'], [1, null, []]],
  [{ type: 'integer' }, [1, 1.0, -0], [1.5, '1']],
  [{ type: ['string', 'null'] }, ['a', null], [1]],
  [{ enum: [1, 'a', { b: [null] }] }, [1, 'a', { b: [null] }], [2, { b: [] }]],
  [{ const: { a: 1, b: 2 } }, [{ b: 2, a: 1 }], [{ a: 1 }]],
  [{ minimum: 1, exclusiveMaximum: 3 }, [1, 2.9, 'a'], [0.9, 3]],
  [{ exclusiveMinimum: 1, maximum: 3 }, [1.1, 3], [1, 3.1]],
  [{ multipleOf: 0.1 }, [0.3, 1], [0.35]],
  [{ minLength: 1, maxLength: 2 }, ['a', '😀😀', 7], ['', 'abc']],
  [{ pattern: '^a.c$' }, ['abc', 1], ['ab']],
  [{ pattern: '^[\\w-.]+$' }, ['a-b.c'], ['a b']],
  [{ format: 'date' }, ['2026-11-22'], ['2026-13-01']],
  [{ items: { type: 'number' } }, [[], [1, 2], 'a'], [[1, 'a']]],
  [{ prefixItems: [{ type: 'string' }], items: false }, [['a'], []], [['a', 1], [1]]],
  [{ ...draft7, items: [{ type: 'string' }], additionalItems: { type: 'number' } }, [['a', 1]], [['a', 'b']]],
  [{ minItems: 1, maxItems: 2, uniqueItems: true }, [[1], [1, '1']], [[], [1, 2, 3], [1, 1]]],
  [
    { contains: { type: 'number' }, minContains: 2, maxContains: 3 },
    [[1, 2]],
    [
      [1, 'a'],
      [1, 2, 3, 4],
    ],
  ],
  [{ unevaluatedItems: false, prefixItems: [true] }, [[1]], [[1, 2]]],
  [{ properties: { a: { type: 'number' } }, required: ['a'] }, [{ a: 1 }, 'x'], [{}, { a: 'x' }]],
  [{ additionalProperties: false, properties: { a: true } }, [{}, { a: 1 }], [{ b: 1 }]],
  [{ additionalProperties: { type: 'number' } }, [{ a: 1 }], [{ a: 'x' }]],
  [{ patternProperties: { '^n_': { type: 'number' } } }, [{ n_a: 1, b: 'x' }], [{ n_a: 'x' }]],
  [{ propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
  [{ minProperties: 1, maxProperties: 1 }, [{ a: 1 }], [{}, { a: 1, b: 2 }]],
  [{ dependentRequired: { a: ['b'] } }, [{ b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
  [{ dependentSchemas: { a: { required: ['b'] } } }, [{}, { a: 1, b: 1 }], [{ a: 1 }]],
  [{ ...draft7, dependencies: { a: ['b'], c: { required: ['d'] } } }, [{ a: 1, b: 1 }], [{ a: 1 }, { c: 1 }]],
  [{ unevaluatedProperties: false, allOf: [{ properties: { a: true } }] }, [{ a: 1 }], [{ b: 1 }]],
  [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1, 2], [0, 3]],
  [{ anyOf: [{ type: 'string' }, { minimum: 1 }] }, ['a', 1], [0]],
  [{ oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, [2, 3], [6, 1]],
  [{ not: { type: 'null' } }, [1], [null]],
  [{ if: { minimum: 10 }, then: { multipleOf: 10 }, else: { multipleOf: 2 } }, [20, 4], [15, 3]],
  [{ $ref: '#/$defs/a', $defs: { a: { type: 'number' } } }, [1], ['a']],
  [{ $ref: '#/definitions/a~1b', definitions: { 'a/b': { type: 'number' } } }, [1], ['a']],
  [{ $ref: '#name', $defs: { a: { $anchor: 'name', type: 'number' } } }, [1], ['a']],
  [{ $ref: 'node', $defs: { a: { $id: 'node', type: 'number' } } }, [1], ['a']],
  [{ $dynamicRef: '#name', $defs: { a: { $dynamicAnchor: 'name', type: 'number' } } }, [1], ['a']],
  [
    { type: 'object', properties: { next: { $ref: '#' } } },
    [{ next: { next: {} } }],
    [{ next: { next: 1 } }],
  ],
  [{ properties: { a: { const: { $id: 'x', $ref: 'y' } } } }, [{ a: { $id: 'x', $ref: 'y' } }], [{ a: {} }]],
  [{ 'x-note': { $id: 'x', type: 'nothing' }, type: 'number' }, [1], ['a']],
  [
    { properties: JSON.parse('{"__proto__":{"type":"number"}}') as JsonObject },
    [{}],
    [JSON.parse('{"__proto__":"a"}') as JsonValue],
  ],
];

describe('the check against a JSON Schema', () => {
  it.each(rows)('knows %o', async (schema, fitting, others) => {
    const validate = validatorOf(schema);
    for (const value of fitting) expect(await validate(value)).toEqual({ ok: true, value });
    for (const value of others) expect(await validate(value)).toMatchObject({ ok: false });
  });
});
