import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../json.ts';
import { readSchema } from './read-schema.ts';

const count = 'it must be a whole number from 0';

describe('a schema is at fault', () => {
  it.each<[JsonObject, string]>([
    [{ items: 7 }, '#/items is 7; a schema is an object, true or false'],
    [{ not: null }, '#/not is null; a schema is an object, true or false'],
    [{ not: [] }, '#/not is []; a schema is an object, true or false'],
    [{ allOf: [true, 'x'] }, '#/allOf/1 is "x"; a schema is an object, true or false'],
    [{ allOf: {} }, '#/allOf is {}; it must be a list of schemas'],
    [{ anyOf: true }, '#/anyOf is true; it must be a list of schemas'],
    [{ properties: true }, '#/properties is true; it must be an object of schemas'],
    [{ $defs: null }, '#/$defs is null; it must be an object of schemas'],
    [{ properties: [] }, '#/properties is []; it must be an object of schemas'],
    [
      { properties: { a: { type: 'any' } } },
      '#/properties/a/type is "any"; it must be a type, or a list of types',
    ],
    [{ type: [] }, '#/type is []; it must be a type, or a list of types'],
    [{ type: ['string', 'any'] }, '#/type is ["string","any"]; it must be a type, or a list of types'],
    [{ type: null }, '#/type is null; it must be a type'],
    [{ required: 'a' }, '#/required is "a"; it must be a list of names'],
    [{ required: ['a', 1] }, '#/required is ["a",1]; it must be a list of names'],
    [{ enum: 'a' }, '#/enum is "a"; it must be a list'],
    [{ pattern: 1 }, '#/pattern is 1; it must be a string'],
    [{ $ref: 1 }, '#/$ref is 1; it must be a string'],
    ...[
      'minLength',
      'maxLength',
      'minItems',
      'maxItems',
      'minProperties',
      'maxProperties',
      'minContains',
      'maxContains',
    ].map((keyword): [JsonObject, string] => [{ [keyword]: '1' }, `#/${keyword} is "1"; ${count}`]),
    [{ minLength: -1 }, `#/minLength is -1; ${count}`],
    [{ minLength: 0.5 }, `#/minLength is 0.5; ${count}`],
    ...['minimum', 'maximum', 'multipleOf'].map((keyword): [JsonObject, string] => [
      { [keyword]: '1' },
      `#/${keyword} is "1"; it must be a number`,
    ]),
    [{ dependencies: { a: 7 } }, '#/dependencies/a is 7; a schema is an object, true or false'],
    [{ dependentSchemas: { a: [] } }, '#/dependentSchemas/a is []; a schema is an object, true or false'],
  ])('%j', (schema, fault) => {
    const { faults, surelyFits } = readSchema(schema);
    expect(faults).toEqual([expect.stringContaining(fault)]);
    expect(surelyFits).toBeUndefined();
  });

  it('and the fault shows eighty characters of what is wrong', () => {
    const long = 'x'.repeat(100);
    const shown = `"${'x'.repeat(79)};`;
    for (const schema of [{ not: long }, { required: long }, { properties: long }])
      expect(readSchema(schema).faults).toEqual([expect.stringContaining(shown)]);
    expect(readSchema({ properties: { [long]: 1 } }).faults).toEqual([
      `#/properties/${'x'.repeat(80)} is 1; a schema is an object, true or false`,
    ]);
  });

  it('by its references too, each reported once', () => {
    const gone = { $ref: '#/gone' };
    expect(readSchema({ anyOf: [gone, gone] }).faults).toEqual([
      'the $ref "#/gone" leads nowhere in the schema',
    ]);
    expect(readSchema({ $ref: `#/${'x'.repeat(300)}` }).faults).toEqual([
      `the $ref "#/${'x'.repeat(198)}" leads nowhere in the schema`,
    ]);
    expect(readSchema({ allOf: [{ $ref: '#' }] }).faults).toEqual(['the $ref "#" leads back to itself']);
    const long = 'x'.repeat(300);
    const circle = { $ref: `#/$defs/${long}`, $defs: { [long]: { $ref: `#/$defs/${long}` } } };
    expect(readSchema(circle).faults).toEqual([`the $ref "#/$defs/${'x'.repeat(192)}" leads back to itself`]);
  });
});

describe('a schema without fault', () => {
  it.each<JsonObject>([
    {},
    { type: ['string', 'null'], minLength: 0, maxLength: 3, minimum: -1.5, enum: [], required: [] },
    { properties: { a: true, b: {} }, items: [true, {}], anyOf: [] },
    { dependencies: { a: ['b'], c: { type: 'object' } } },
    { toString: 1, 'x-own': { type: 'any' } },
    { title: '(', format: 'date', items: { description: '(a+)+' } },
    { const: { type: 'any', $id: 'x' }, default: { pattern: 1 }, examples: [{ type: 7 }] },
  ])('stays as it is: %j', (schema) => {
    expect(readSchema(schema)).toMatchObject({ schema, faults: [], unchecked: [] });
  });

  it('leaves out what it has no use for', () => {
    const given = {
      type: undefined,
      required: true,
      properties: { a: undefined, b: { required: false } },
      'x-note': { $id: 'a name', inner: [{ $id: 'another', kept: 1 }] },
    };
    expect(readSchema(given as unknown as JsonObject).schema).toStrictEqual({
      properties: { b: {} },
      'x-note': { inner: [{ kept: 1 }] },
    });
  });

  it('keeps a member named __proto__', () => {
    const given = JSON.parse('{"properties":{"__proto__":{"type":"number"}},"__proto__":1}') as JsonObject;
    expect(JSON.stringify(readSchema(given).schema)).toBe(JSON.stringify(given));
  });

  it('has plain references and anchors where it had dynamic ones, unless it has both', () => {
    expect(readSchema({ $dynamicRef: '#a', $defs: { a: { $dynamicAnchor: 'a' } } }).schema).toEqual({
      $dynamicRef: '#a',
      $ref: '#a',
      $defs: { a: { $dynamicAnchor: 'a', $anchor: 'a' } },
    });
    const both = { $dynamicRef: '#a', $ref: '#b', $dynamicAnchor: 'a', $anchor: 'b' };
    expect(readSchema(both).schema).toEqual(both);
  });

  it('is read once if it is frozen, and anew if it may have changed', () => {
    const [frozen, open] = [Object.freeze({ type: 'string' }), { type: 'string' }];
    expect(readSchema(frozen)).toBe(readSchema(frozen));
    expect(readSchema(open)).not.toBe(readSchema(open));
  });
});

describe('a pattern that cannot be run', () => {
  it('is left out and reported, in members too', () => {
    const given = {
      properties: { a: { pattern: '(' }, b: { pattern: '^[\\w-.]+$' } },
      patternProperties: { '(a+)+': { type: 'number' }, '^[\\w-.]+$': {} },
    };
    const { schema, unchecked } = readSchema(given);
    expect(schema).toEqual({
      properties: { a: {}, b: { pattern: '^[\\w\\-.]+$' } },
      patternProperties: { '': true, '^[\\w\\-.]+$': {} },
    });
    expect(unchecked).toEqual([
      '#/properties/a/pattern: the pattern "(" is no regular expression',
      '#/patternProperties/(a+)+: the pattern "(a+)+" can take exponential time: it repeats what can be matched in two ways',
    ]);
  });

  it('is shown by two hundred of its characters', () => {
    expect(readSchema({ pattern: `(${'x'.repeat(300)}` }).unchecked).toEqual([
      `#/pattern: the pattern "(${'x'.repeat(199)}" is no regular expression`,
    ]);
  });
});
