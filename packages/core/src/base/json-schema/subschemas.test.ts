import { expect, it } from 'vitest';

import { pointedAt, subschemas } from './keywords.ts';

it('the schemas within a schema are those that apply to a value or its members', () => {
  const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((title) => ({ title }));
  const schema = {
    $ref: '#/$defs/a',
    $defs: { a },
    anyOf: [b, true],
    items: c,
    properties: { d, e },
    definitions: { z: {} },
    default: { title: 'data' },
    title: 'text',
    not: false,
  } as never;
  expect(subschemas(schema, schema)).toEqual([a, b, c, d, e]);
  expect(subschemas(schema, schema, (name) => name === 'e')).toEqual([a, b, c, e]);
  const other = { $comment: '#/$defs/a', patternProperties: { p: d } } as never;
  expect(subschemas(schema, other, () => false)).toEqual([d]);
});

it.each([
  ['#', 'root'],
  ['#/a', { 'b/c': [1, 2], '~': 3 }],
  ['#/a/b~1c', [1, 2]],
  ['#/a/b~1c/1', 2],
  ['#/a/~0', 3],
  ['#/a/b%2Fc', [1, 2]],
  ['#/x', undefined],
  ['#/a/~0/deeper', undefined],
  ['#/toString', undefined],
  ['#name', undefined],
  ['other.json#/a', undefined],
])('the reference %s points at %j', (reference, found) => {
  const root = { a: { 'b/c': [1, 2], '~': 3 } };
  expect(pointedAt(root, reference)).toEqual(found === 'root' ? root : found);
});
