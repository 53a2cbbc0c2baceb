import { expect, it } from 'vitest';

import { isStandardSchema, jsonSchemaOf } from './schema.ts';

it('what JSON leaves out of a schema is left out of its JSON Schema: members named by symbols, at any depth', () => {
  const kind = Symbol('kind');
  const name = { type: 'string', [kind]: 'String' };
  const schema = {
    type: 'object',
    properties: { name },
    allOf: [{ required: ['name'], [kind]: 'x' }],
    [kind]: 1,
  };
  const json = jsonSchemaOf(schema, 'a tool', 'TOOL_INVALID');
  expect(json).toStrictEqual({
    type: 'object',
    properties: { name: { type: 'string' } },
    allOf: [{ required: ['name'] }],
  });
});

it.each<[string, unknown, boolean]>([
  ['an object', { '~standard': {} }, true],
  ['a function, as in arktype', Object.assign(() => undefined, { '~standard': {} }), true],
  ['a plain JSON Schema', { type: 'object' }, false],
  ['a function without more', () => undefined, false],
  ['null', null, false],
  ['a text', '~standard', false],
])('a Standard Schema may be an object or a function: %s', (_, schema, isStandard) => {
  expect(isStandardSchema(schema)).toBe(isStandard);
});
