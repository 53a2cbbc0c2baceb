import * as v from 'valibot';
import { expect, it } from 'vitest';

import { definePlugin } from '../contract/define-plugin.ts';
import { optionsAfterDefaults } from './options-after-defaults.ts';

const schema = {
  type: 'object',
  properties: {
    limit: { type: 'number', default: 10 },
    note: { type: 'string' },
    apiKey: { type: 'string', writeOnly: true, default: 'none' },
    server: {
      type: 'object',
      properties: { port: { type: 'number', default: 80 }, token: { writeOnly: true } },
    },
    others: { type: 'array', items: { type: 'object', properties: { port: { default: 81 } } } },
  },
} as const;

it.each([
  ['nothing', undefined, { limit: 10, apiKey: 'none' }],
  ['values in place of defaults', { limit: 0, note: '' }, { limit: 0, note: '', apiKey: 'none' }],
  ['a secret', { apiKey: 'sk-1' }, { limit: 10, apiKey: '[secret]' }],
  ['an empty secret', { apiKey: '' }, { limit: 10, apiKey: '[secret]' }],
  ['what the schema does not name', { more: { port: 1 } }, { limit: 10, apiKey: 'none', more: { port: 1 } }],
  [
    'members of members',
    { server: { token: 't' }, others: [{}, { port: 2 }, 'x'] },
    {
      limit: 10,
      apiKey: 'none',
      server: { port: 80, token: '[secret]' },
      others: [{ port: 81 }, { port: 2 }, 'x'],
    },
  ],
  [
    'what is no plain object',
    { server: new URL('http://a'), others: null },
    { limit: 10, apiKey: 'none', server: new URL('http://a'), others: null },
  ],
])('options with %s are shown with defaults, and without secrets', (_, given, shown) => {
  const factory = definePlugin({ name: 'a', options: schema, setup() {} });
  expect(optionsAfterDefaults(factory(given as never))).toEqual(shown);
});

it.each([
  ['no options', undefined],
  ['a schema that JSON cannot describe', v.object({ on: v.optional(v.boolean(), true) })],
])('options of a plugin with %s are shown as they were given', (_, options) => {
  const { definition } = definePlugin({ name: 'a', setup() {} })();
  const shown = (given: unknown) =>
    optionsAfterDefaults({ definition: { ...definition, options }, options: given } as never);
  expect([shown({ limit: 1 }), shown(undefined)]).toEqual([{ limit: 1 }, {}]);
});
