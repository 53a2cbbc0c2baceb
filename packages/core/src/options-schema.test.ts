import type { StandardSchemaV1 } from '@standard-schema/spec';
import { describe, expect, expectTypeOf, it } from 'vitest';

import { option, optionsSchema } from './options-schema.ts';
import { jsonSchemaOf, validatorOf, type SchemaOutput } from './schema.ts';

const schema = optionsSchema({
  sources: option.list(option.text('a path that begins with /', /^\//), { min: 1 }).required(),
  mode: option.oneOf('fast', 'safe', null).default('safe').describe('How it is done.'),
  limit: option.integer({ min: 1, max: 10 }).default(5),
  share: option.number({ above: 0, below: 1 }),
  verbose: option.boolean(),
  labels: option.record(option.text()),
  server: option.object({ host: option.text().required(), port: option.integer().default(80) }),
  notify: option.either(option.oneOf('mail'), option.callback<(text: string) => void>()),
  upper: option.text().map((text, report) => {
    if (text === '') report('it is empty; write a word');
    return text.toUpperCase();
  }),
  now: option.callback<() => number>(),
  at: option.code('in code a Date', (value): value is Date => value instanceof Date),
});

async function issuesOf(value: unknown): Promise<string> {
  const checked = await validatorOf(schema)(value);
  return checked.ok ? '' : checked.issues;
}

describe('A schema of options', () => {
  it('gives what was written, and what stands for the rest', async () => {
    const notify = (): void => {};
    const given = { sources: ['/a'], server: { host: 'h' }, upper: 'x', mode: null, notify };
    expect(await validatorOf(schema)(given)).toEqual({
      ok: true,
      value: {
        sources: ['/a'],
        mode: null,
        limit: 5,
        server: { host: 'h', port: 80 },
        upper: 'X',
        notify,
      },
    });
  });

  it('takes undefined for "left out"', async () => {
    expect(await validatorOf(schema)({ sources: ['/a'], limit: undefined, share: undefined })).toEqual({
      ok: true,
      value: { sources: ['/a'], mode: 'safe', limit: 5 },
    });
  });

  it('reports all that is wrong at once, each with its path, the value and what to write', async () => {
    const given = {
      sources: ['/a', 'b'],
      mode: 'quick',
      limit: 0,
      share: 1,
      verbose: 'yes',
      labels: { a: 1 },
      server: { prot: 80 },
      notify: 'fax',
      upper: '',
      now: 5,
      at: '2026',
      nowhere: 1,
    };
    expect(await issuesOf(given)).toMatchInlineSnapshot(`
      "nowhere: there is no such option; known are sources, mode, limit, share, verbose, labels, server, notify, upper, now, at
      sources.1: it is "b"; write a path that begins with /
      mode: it is "quick"; write "fast" or "safe" or null
      limit: it is 0; write an integer, at least 1 and at most 10
      share: it is 1; write a number, above 0 and below 1
      verbose: it is "yes"; write true or false
      labels.a: it is 1; write text
      server.prot: there is no such option; did you mean "port"?
      server.host: it is missing; write text
      notify: it is "fax"; write "mail", or in code a function
      upper: it is empty; write a word
      now: it is 5; write in code a function
      at: it is "2026"; write in code a Date"
    `);
  });

  it.each([undefined, null, 5, 'text', ['/a']])('refuses %j as a whole', async (value) => {
    expect(await issuesOf(value)).toMatch(/^it is .*; write an object with sources, mode, limit/);
  });

  it('takes no name that only prototypes have', async () => {
    expect(await issuesOf(JSON.parse('{"sources":["/a"],"__proto__":{"limit":3},"constructor":1}'))).toBe(
      ['__proto__', 'constructor']
        .map((name) => `${name}: there is no such option; known are ${names}`)
        .join('\n'),
    );
  });

  it('says as JSON Schema what a file can hold', () => {
    expect(jsonSchemaOf(schema, 'the options', 'PLUGIN_INVALID')).toMatchInlineSnapshot(`
      {
        "additionalProperties": false,
        "properties": {
          "labels": {
            "additionalProperties": {
              "type": "string",
            },
            "type": "object",
          },
          "limit": {
            "default": 5,
            "maximum": 10,
            "minimum": 1,
            "type": "integer",
          },
          "mode": {
            "default": "safe",
            "description": "How it is done.",
            "enum": [
              "fast",
              "safe",
              null,
            ],
          },
          "notify": {
            "enum": [
              "mail",
            ],
          },
          "server": {
            "additionalProperties": false,
            "properties": {
              "host": {
                "type": "string",
              },
              "port": {
                "default": 80,
                "type": "integer",
              },
            },
            "required": [
              "host",
            ],
            "type": "object",
          },
          "share": {
            "exclusiveMaximum": 1,
            "exclusiveMinimum": 0,
            "type": "number",
          },
          "sources": {
            "items": {
              "pattern": "^\\/",
              "type": "string",
            },
            "minItems": 1,
            "type": "array",
          },
          "upper": {
            "type": "string",
          },
          "verbose": {
            "type": "boolean",
          },
        },
        "required": [
          "sources",
        ],
        "type": "object",
      }
    `);
  });

  it('types what users write and what a plugin gets', () => {
    type Output = SchemaOutput<typeof schema>;
    expectTypeOf<Output['sources']>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<Output['mode']>().toEqualTypeOf<'fast' | 'safe' | null>();
    expectTypeOf<Output['share']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Output['notify']>().toEqualTypeOf<'mail' | ((text: string) => void) | undefined>();
    expectTypeOf<Output['at']>().toEqualTypeOf<Date | undefined>();
    type Input = StandardSchemaV1.InferInput<typeof schema>;
    expectTypeOf<{ sources: string[] }>().toExtend<Input>();
    expectTypeOf<{ sources: string[]; server: { host: string } }>().toExtend<Input>();
    expectTypeOf<{ limit: 5 }>().not.toExtend<Input>();
    expectTypeOf<{ sources: string[]; limit: '5' }>().not.toExtend<Input>();
  });
});

const names = 'sources, mode, limit, share, verbose, labels, server, notify, upper, now, at';
