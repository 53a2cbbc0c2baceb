import { expect, it } from 'vitest';

import { keysAt } from './keys-at.ts';

const inner = { properties: { x: {}, y: {} } };

it.each([
  [{ properties: { a: {}, b: {} } }, [], ['a', 'b']],
  [{ properties: { a: inner } }, ['a'], ['x', 'y']],
  [{ properties: { a: inner } }, ['b'], undefined],
  [{}, [], undefined],
  [{ properties: { a: {} }, additionalProperties: false }, [], ['a']],
  [{ properties: { a: {} }, additionalProperties: true }, [], undefined],
  [{ properties: { a: {} }, additionalProperties: {} }, [], undefined],
  [{ properties: { a: {} }, patternProperties: {} }, [], undefined],
  [{ additionalProperties: inner }, ['any'], ['x', 'y']],
  [{ items: inner }, [3], ['x', 'y']],
  [{ items: inner }, ['3'], ['x', 'y']],
  [{ items: inner }, ['a3'], undefined],
  [{ prefixItems: [{ properties: { p: {} } }], items: inner }, [0], ['p']],
  [{ prefixItems: [{ properties: { p: {} } }], items: inner }, [1], ['x', 'y']],
  [{ properties: { 0: inner }, items: {} }, [0], ['x', 'y']],
  [{ anyOf: [inner, { properties: { y: {}, z: {} } }] }, [], ['x', 'y', 'z']],
  [{ allOf: [inner], oneOf: [{ properties: { q: {} } }] }, [], ['q', 'x', 'y']],
  [{ properties: { a: { $ref: '#/$defs/i' } }, $defs: { i: inner } }, ['a'], ['x', 'y']],
  [{ properties: { a: { $ref: 'other.json' } } }, ['a'], undefined],
  [{ properties: { a: { $ref: '#/$defs/none' } } }, ['a'], undefined],
  [{ properties: { a: {} }, anyOf: [{ $ref: '#' }] }, [], ['a']],
])('the keys of %j at %j are %j', (schema, path, keys) => {
  expect(keysAt(schema as never, path)?.toSorted()).toEqual(keys);
});
