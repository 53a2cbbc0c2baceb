import { expect, it } from 'vitest';

import { yamlConfig } from './yaml-config.ts';

const schema = './node_modules/.cache/schema.json';

it('a new config has a comment for plugins that need one, and lists on one line', () => {
  const values = {
    model: 'openai/gpt-5',
    plugins: [
      'memory',
      'skills',
      { use: 'limits', options: { tools: ['a', 'b'], deep: { list: [1] } } },
      { use: 'hitl' },
    ],
    tools: ['./tool.ts'],
  };
  const comments = { skills: 'Reads skills.', limits: 'Needs a limit.', openai: 'Unused.' };
  expect(yamlConfig({ values, comments, schema })).toMatchInlineSnapshot(`
    "# yaml-language-server: $schema=./node_modules/.cache/schema.json

    model: openai/gpt-5
    plugins:
      - memory
      # Reads skills.
      - skills
      # Needs a limit.
      - use: limits
        options:
          tools: [a, b]
          deep:
            list: [1]
      - use: hitl
    tools:
      - ./tool.ts
    "
  `);
});

it('a new config without plugins says so on one line', () => {
  expect(yamlConfig({ values: { plugins: [] }, comments: {}, schema })).toMatchInlineSnapshot(`
    "# yaml-language-server: $schema=./node_modules/.cache/schema.json

    plugins: []
    "
  `);
  expect(yamlConfig({ values: { name: 'a' }, comments: {}, schema })).toMatchInlineSnapshot(`
    "# yaml-language-server: $schema=./node_modules/.cache/schema.json

    name: a
    "
  `);
});

it('a new config breaks lines at 120 characters', () => {
  const values = { instructions: `${'a '.repeat(90)}b` };
  const lines = yamlConfig({ values, comments: {}, schema }).split('\n');
  expect(Math.max(...lines.map(({ length }) => length))).toBe(119);
});
