import { runInNewContext } from 'node:vm';

import type { StandardSchemaV1 } from '@standard-schema/spec';
import { describe, expect, expectTypeOf, it } from 'vitest';

import { findJsonSchema, jsonSchemaOf, validatorOf, type SchemaOutput } from '../base/schema.ts';
import type { ChatModel } from '../contract/model.ts';
import type { Shape } from './option-shape.ts';
import { option, optionsSchema } from './options-schema.ts';

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
      "nowhere: there is no such option; known: sources, mode, limit, share, verbose, labels, server, notify, upper, now, at
      sources.1: it is "b"; write a path that begins with /
      mode: it is "quick"; write "fast", "safe" or null
      limit: it is 0; write a whole number of at least 1 and at most 10
      share: it is 1; write a number above 0 and below 1
      verbose: it is "yes"; write true or false
      labels.a: it is 1; write a string
      server.prot: there is no such option; did you mean "port"?
      server.host: it is missing; write a string
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
        .map((name) => `${name}: there is no such option; known: ${names}`)
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

  it('is a Standard Schema', () => {
    expect(schema['~standard']).toMatchObject({ version: 1, vendor: 'shallot' });
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

describe('An option', () => {
  async function issuesWith(shape: Shape, value: object): Promise<string> {
    const checked = await validatorOf(optionsSchema(shape))(value);
    return checked.ok ? '' : checked.issues;
  }

  it('may be a list of any length, an address, or anything', async () => {
    const shape = {
      many: option.list(option.text()),
      one: option.list(option.text(), { min: 1 }),
      from: option.list(option.addressRange()),
      most: option.oneOf('a', 'b', 'c', 'd'),
      side: option.oneOf('left', 'right'),
      any: option.anything(),
    };
    const right = { many: [], one: ['a'], from: ['10.0.0.0/8', '::1'], any: null };
    expect(await issuesWith(shape, right)).toBe('');
    const wrong = { many: 'a', one: [], from: ['10.0.0.0/99', ''], most: 5, side: 5 };
    expect(await issuesWith(shape, wrong)).toMatchInlineSnapshot(`
      "many: it is "a"; write a list, each a string
      one: it is []; write a list of at least 1, each a string
      from.0: it is "10.0.0.0/99"; write an IP address, or a range such as 10.0.0.0/8
      from.1: it is ""; write an IP address, or a range such as 10.0.0.0/8
      most: it is 5; write "a", "b", "c" or "d"
      side: it is 5; write "left" or "right""
    `);
    expect(findJsonSchema(optionsSchema({ many: shape.many }))).toMatchObject({
      properties: { many: { type: 'array', items: { type: 'string' } } },
    });
  });

  it('of code may default to a function, which is not part of its JSON Schema', async () => {
    const log = (): void => {};
    const shape = { log: option.either(option.oneOf('off'), option.callback()).default(log) };
    const schema = optionsSchema(shape);
    expect(await validatorOf(schema)({})).toEqual({ ok: true, value: { log } });
    expect(findJsonSchema(schema)).toMatchObject({ properties: { log: { enum: ['off'] } } });
    expect(JSON.stringify(findJsonSchema(schema))).not.toContain('default');
    expect(JSON.stringify(schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' }))).toBe(
      JSON.stringify(findJsonSchema(schema)),
    );
  });

  it('that is secret is never shown, nor what stands in its place', async () => {
    const key = option.text('a key', /^sk-/).secret();
    const shape = {
      key,
      keys: option.list(key),
      byName: option.record(key),
      either: option.either(key, option.boolean()),
    };
    const issues = await issuesWith(shape, {
      key: 'hunter2',
      keys: 'hunter2',
      byName: { a: 'hunter2' },
      either: ['hunter2'],
    });
    expect(issues).toMatchInlineSnapshot(`
      "key: it is not valid; write a key
      keys: it is not valid; write a list, each a key
      byName.a: it is not valid; write a key
      either: it is not valid; write a key, or true or false"
    `);
    expect(findJsonSchema(optionsSchema({ key }))).toMatchObject({
      properties: { key: { writeOnly: true } },
    });
  });

  it('names the nearest of its values, or says what to do about one', async () => {
    const path = option.text('a path', /./, (text) => (text.startsWith('/') ? undefined : `write /${text}`));
    const shape = {
      level: option.oneOf('info', 'debug'),
      path,
      files: option.either(option.oneOf(false), path),
    };
    expect(await issuesWith(shape, { level: 'inof', path: 'tmp', files: 'tmp' })).toMatchInlineSnapshot(`
      "level: it is "inof"; did you mean "info"?
      path: it is "tmp"; write /tmp
      files: it is "tmp"; write /tmp"
    `);
    expect(await issuesWith(shape, { level: 'debug', path: '/tmp', files: false })).toBe('');
  });

  it('of several kinds of objects is read as the one that is meant', async () => {
    const by = option.either(
      option.object({ path: option.text().required(), depth: option.integer() }),
      option.object({ url: option.text().required() }),
    );
    const part = option.either(
      option.object({ type: option.oneOf('text').required(), text: option.text().required() }),
      option.object({ type: option.oneOf('file').required(), url: option.text() }),
    );
    expect(await issuesWith({ part }, { part: { type: 'file', url: '/' } })).toBe('');
    expect(await issuesWith({ part }, { part: { type: 'file', url: 5 } })).toBe(
      'part.url: it is 5; write a string',
    );
    expect(await issuesWith({ by }, { by: { url: 5 } })).toBe('by.url: it is 5; write a string');
    expect(await issuesWith({ by }, { by: { path: '/', dept: 1 } })).toBe(
      'by.dept: there is no such option; did you mean "depth"?',
    );
    expect(await issuesWith({ by }, { by: { url: 'http://localhost' } })).toBe('');
    const open = option.either(option.object({ path: option.text().required() }), option.jsonObject());
    expect(await issuesWith({ open }, { open: { other: 5 } })).toBe('');
  });

  it('with many names tells only the first of them', async () => {
    const withNames = (names: string) =>
      option.object(Object.fromEntries(Array.from(names, (name) => [name, option.text()] as const)));
    const shape = { eight: withNames('abcdefgh'), nine: withNames('abcdefghi') };
    expect(await issuesWith(shape, { eight: 5, nine: 5 })).toBe(
      'eight: it is 5; write an object with a, b, c, d, e, f, g, h\n' +
        'nine: it is 5; write an object with a, b, c, d, e, f, g, h …',
    );
  });

  it('for a model takes a name, an entry, and in code a model of any class', async () => {
    class OwnModel implements ChatModel {
      readonly id = 'own/model';
      generate = (): Promise<never> => Promise.reject(new Error('is never asked'));
    }
    const shape = { model: option.model() };
    for (const model of ['openai/gpt-5', { use: './model.ts' }, new OwnModel()]) {
      expect(await issuesWith(shape, { model })).toBe('');
    }
    expect(await issuesWith(shape, { model: '' })).toBe(
      'model: it is ""; write a model, as in `model` of a config, or in code a ChatModel',
    );
  });

  it('takes no instance for a record or an object', async () => {
    const shape = { labels: option.record(option.text()), server: option.object({ host: option.text() }) };
    const issues = await issuesWith(shape, {
      labels: new Map([['a', 'b']]),
      server: new URL('http://localhost'),
    });
    expect(issues.split('\n')).toHaveLength(2);
    const elsewhere: unknown = runInNewContext('({ a: "b" })');
    const bare: unknown = Object.create(null);
    expect(await issuesWith(shape, { labels: elsewhere, server: bare })).toBe('');
  });
});
