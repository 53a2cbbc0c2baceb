import { expect, it } from 'vitest';

import { jsonSchemaOf } from './schema.ts';

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
