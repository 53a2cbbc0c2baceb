import * as v from 'valibot';
import { describe, expect, it } from 'vitest';

import {
  asStandardSchema,
  describedSchema,
  findJsonSchema,
  inspectorOf,
  isJsonSchema,
  isStandardSchema,
  jsonSchemaOf,
  validatorOf,
  type AnySchema,
  type JsonSchema,
  type StandardSchemaWithJson,
} from './schema.ts';

/** A Standard Schema with these members. */
function standard(members: object): StandardSchemaWithJson {
  // Its validation returns what a test lets it return.
  return { '~standard': { version: 1, vendor: 'ours', ...members } } as never;
}

const throwing = (thrown: unknown): object => ({
  jsonSchema: {
    input() {
      throw thrown;
    },
  },
});

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

describe('a schema', () => {
  it('that supplies JSON Schema, or that nobody can convert, stays as it is', () => {
    const zod = standard({ vendor: 'zod', jsonSchema: {} });
    const others: AnySchema[] = [zod, standard({}), { type: 'string' }];
    for (const schema of others) expect(describedSchema(schema, 'a tool', 'TOOL_INVALID')).toBe(schema);
  });

  it('of a library with a converter is converted', () => {
    const schema = describedSchema(v.object({ days: v.number() }), 'a tool', 'TOOL_INVALID');
    expect(jsonSchemaOf(schema, 'a tool', 'TOOL_INVALID')).toMatchObject({ required: ['days'] });
  });

  it('supplies the JSON Schema of its input as plain, frozen JSON', () => {
    const input = { type: 'object', toString: undefined };
    const calls: unknown[] = [];
    const schema = standard({
      jsonSchema: {
        input(options: unknown) {
          calls.push(options);
          return input;
        },
      },
    });
    const json = jsonSchemaOf(schema, 'a tool', 'TOOL_INVALID');
    expect(calls).toEqual([{ target: 'draft-2020-12' }]);
    expect(json).toEqual({ type: 'object' });
    expect([Object.isFrozen(json), Object.isFrozen(input)]).toEqual([true, false]);
    expect(findJsonSchema(schema)).toEqual({ type: 'object' });
  });

  it.each<[string, unknown, string]>([
    ['a string', 'string', 'The schema of a tool is of type string; give a JSON Schema'],
    ['null', null, 'The schema of a tool is of type object; give a JSON Schema'],
    [
      'a schema without JSON Schema',
      standard({}),
      'The schema of a tool (ours) does not provide a JSON Schema.',
    ],
    ['one that throws', standard(throwing(new Error('a date'))), 'cannot be written as JSON Schema: a date'],
    ['one that throws a string', standard(throwing('a map')), 'cannot be written as JSON Schema: a map'],
    ['an instance', { at: new Date(0) }, 'the schema of a tool.at is an instance of Date'],
  ])('that has no JSON Schema is refused, and not found: %s', (_, schema, message) => {
    const given = schema as JsonSchema;
    expect(() => jsonSchemaOf(given, 'a tool', 'TOOL_INVALID')).toThrow(message);
    expect(findJsonSchema(given)).toBeUndefined();
  });

  it('that cannot be written is refused with the code that was asked for, and the cause', () => {
    const cause = new Error('a date');
    const refused =
      (schema: unknown): (() => unknown) =>
      () =>
        jsonSchemaOf(schema as JsonSchema, 'x', 'TOOL_INVALID');
    expect(refused(standard(throwing(cause)))).toThrow(
      expect.objectContaining({ code: 'TOOL_INVALID', cause }) as Error,
    );
    expect(refused(7)).toThrow(expect.objectContaining({ code: 'TOOL_INVALID' }) as Error);
    expect(refused(standard({}))).toThrow(expect.objectContaining({ code: 'TOOL_INVALID' }) as Error);
  });

  it('may be nested as deep as JSON, and no deeper', () => {
    const nested = (depth: number): JsonSchema =>
      depth === 0 ? { type: 'string' } : { items: nested(depth - 1) };
    expect(jsonSchemaOf(nested(200), 'a tool', 'TOOL_INVALID')).toEqual(nested(200));
    for (const depth of [201, 209, 210, 211, 300])
      expect(() => jsonSchemaOf(nested(depth), 'a tool', 'TOOL_INVALID')).toThrow('200 levels deep');
  });
});

it.each<[unknown, boolean]>([
  [{ type: 'object' }, true],
  [{ properties: {} }, true],
  [{ anyOf: [] }, true],
  [{ oneOf: [] }, true],
  [{ allOf: [] }, true],
  [{ $ref: '#' }, true],
  [{ title: 'T' }, false],
  [{ type: 'object', '~standard': {} }, false],
  [null, false],
  [undefined, false],
  ['type', false],
])('%j may be a JSON Schema of an object: %s', (value, may) => {
  expect(isJsonSchema(value)).toBe(may);
});

describe('a JSON Schema as a Standard Schema', () => {
  const json = { type: 'object', properties: { days: { type: 'number' } }, additionalProperties: false };
  const { '~standard': schema } = asStandardSchema(json);

  it('validates', async () => {
    expect(await schema.validate({ days: 9 })).toEqual({ value: { days: 9 } });
    expect(await schema.validate({ dais: 9 })).toEqual({
      issues: [{ path: [], message: 'there is no property "dais"; did you mean "days"?', keys: ['dais'] }],
    });
  });

  it('has the version of the standard, and supplies itself for input and output', () => {
    expect(schema).toMatchObject({ version: 1, vendor: 'json-schema' });
    const options = { target: 'draft-2020-12' } as const;
    const { input, output } = schema.jsonSchema;
    expect([input(options), output(options)]).toEqual([json, json]);
    expect(Object.isFrozen(input(options))).toBe(false);
  });
});

describe('a check', () => {
  const issue = (message: string): object => ({ message, path: ['a', { key: 'b' }, 0] });
  const failing = (count: number): StandardSchemaWithJson =>
    standard({
      validate: () => ({ issues: Array.from({ length: count }, (_, index) => issue(`fault ${index}`)) }),
    });

  it.each([1, 20])('reports each of %d issues on a line of its own', async (count) => {
    const checked = await validatorOf(failing(count))({});
    const lines = Array.from({ length: count }, (_, index) => `a.b.0: fault ${index}`);
    expect(checked).toEqual({ ok: false, issues: lines.join('\n') });
  });

  it('reports twenty issues, and how many more there are', async () => {
    const checked = await validatorOf(failing(23))({});
    expect(checked).toEqual({
      ok: false,
      issues: expect.stringMatching(/^a\.b\.0: fault 0\n[^]*fault 19\n… and 3 more like these\.$/) as string,
    });
  });

  it('reports an issue of the whole value without a path', async () => {
    const schema = standard({ validate: () => ({ issues: [{ message: 'wrong' }] }) });
    expect(await validatorOf(schema)({})).toEqual({ ok: false, issues: 'wrong' });
  });

  it.each([
    ['at once', <T>(result: T): T => result],
    ['later', <T>(result: T): Promise<T> => Promise.resolve(result)],
  ])('returns what the schema makes of the value, %s', async (_, when) => {
    const schema = standard({
      validate: (value: unknown) => when(value === 7 ? { value: 'seven' } : { issues: [{ message: 'no' }] }),
    });
    expect(await inspectorOf(schema)(7)).toEqual({ ok: true, value: 'seven' });
    expect(await inspectorOf(schema)(8)).toEqual({ ok: false, issues: [{ path: [], message: 'no' }] });
    expect(await validatorOf(schema)(7)).toEqual({ ok: true, value: 'seven' });
  });

  it.each<[string, object, object]>([
    ['keys and items', { path: ['a', 0] }, { path: ['a', 0] }],
    ['segments as objects', { path: [{ key: 'a' }, { key: 0 }] }, { path: ['a', 0] }],
    ['symbols', { path: [Symbol('s')] }, { path: ['Symbol(s)'] }],
    ['a key of valibot', { path: [{ key: 'a', origin: 'key' }] }, { path: ['a'], isKey: true }],
    ['a value of valibot', { path: [{ key: 'a', origin: 'value' }] }, { path: ['a'] }],
    ['a key further out', { path: [{ key: 'a', origin: 'key' }, 'b'] }, { path: ['a', 'b'] }],
    ['the keys of zod', { keys: ['x', 1] }, { path: [], keys: ['x', '1'] }],
    ['keys that are none', { keys: 'x' }, { path: [] }],
  ])('reports where an issue is: %s', async (_, members, reported) => {
    const schema = standard({ validate: () => ({ issues: [{ message: 'no', ...members }] }) });
    expect(await inspectorOf(schema)({})).toStrictEqual({
      ok: false,
      issues: [{ message: 'no', ...reported }],
    });
  });

  it('cannot be made against a JSON Schema that is at fault', async () => {
    const inspect = inspectorOf({ properties: { a: { $ref: '#/gone' } } });
    expect(() => inspect({ a: 1 })).toThrow('the $ref "#/gone" leads nowhere in the schema');
  });

  describe('of a value that throws while all of its issues are listed', () => {
    const inspect = inspectorOf({ properties: { a: { type: 'number' }, b: { type: 'number' } } });
    const throwing = (error: Error): object => ({
      a: 'x',
      get b() {
        throw error;
      },
    });

    it('reports only the first one if the call stack was exceeded', async () => {
      const value = throwing(new RangeError('Maximum call stack size exceeded'));
      expect(await inspect(value)).toMatchObject({ ok: false, issues: [{ path: ['a'] }] });
    });

    it('throws any other error', async () => {
      await expect(async () => inspect(throwing(new Error('unreadable')))).rejects.toThrow('unreadable');
    });
  });

  // Only the older drafts ignore what stands beside a reference, and only draft 4 has a boolean for an exclusive bound.
  it.each<[unknown, boolean, boolean]>([
    ['http://json-schema.org/draft-04/schema#', false, true],
    ['http://json-schema.org/draft-07/schema#', false, false],
    ['https://json-schema.org/draft/2019-09/schema', true, false],
    ['https://json-schema.org/draft/2020-12/schema', true, false],
    [7, true, false],
  ])('reads a schema by its draft: %s', async ($schema, readsSiblings, excludes) => {
    const named = { $schema } as JsonSchema;
    const reference = { ...named, $ref: '#/$defs/any', $defs: { any: {} }, type: 'string' };
    expect(await inspectorOf(reference)(1)).toMatchObject({ ok: !readsSiblings });
    const bound = { ...named, minimum: 2, exclusiveMinimum: true };
    expect(await inspectorOf(bound)(2)).toMatchObject({ ok: !excludes });
  });

  it('reads a schema without a draft by 2020-12', async () => {
    const reference = { $ref: '#/$defs/any', $defs: { any: {} }, type: 'string' };
    expect(await inspectorOf(reference)(1)).toMatchObject({ ok: false });
  });
});
