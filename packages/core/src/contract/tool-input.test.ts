import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { Schema as Effect } from 'effect';
import { Type } from 'typebox';
import * as v from 'valibot';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { z as zod3 } from 'zod-3';
import * as mini from 'zod/mini';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { createAgent } from '../create-agent.ts';
import { defineTool, type Tool } from './tool.ts';

function toolWith(input: unknown): Tool {
  // Plain JavaScript allows this.
  return defineTool({
    name: 'look',
    description: 'Looks.',
    input: input as { type: 'object' },
    execute: () => '',
  });
}

describe('the input of a tool', () => {
  it.each([
    ['zod 4', z.object({ days: z.number(), note: z.optional(z.string()) })],
    ['zod mini', mini.object({ days: mini.number(), note: mini.optional(mini.string()) })],
    ['zod 3', zod3.object({ days: zod3.number(), note: zod3.string().optional() })],
    ['arktype', type({ days: 'number', 'note?': 'string' })],
    ['valibot', v.object({ days: v.number(), note: v.optional(v.string()) })],
    [
      'valibot with its converter',
      toStandardJsonSchema(v.object({ days: v.number(), note: v.optional(v.string()) })),
    ],
    ['effect', Effect.Struct({ days: Effect.Number, note: Effect.optional(Effect.String) })],
    [
      'effect as a Standard Schema',
      Effect.toStandardSchemaV1(Effect.Struct({ days: Effect.Number, note: Effect.optional(Effect.String) })),
    ],
    ['TypeBox', Type.Object({ days: Type.Number(), note: Type.Optional(Type.String()) })],
    [
      'JSON Schema',
      {
        type: 'object',
        properties: { days: { type: 'number' }, note: { type: 'string' } },
        required: ['days'],
      },
    ],
  ])('may be of %s', async (_, input) => {
    const tool = toolWith(input);
    const { type: kind, properties, required } = tool.inputSchema;
    expect([kind, required]).toEqual(['object', ['days']]);
    expect(Object.keys(properties as object)).toEqual(['days', 'note']);
    expect(await tool.validate({ days: 9 })).toMatchObject({ ok: true, value: { days: 9 } });
    expect(await tool.validate({ days: 'nine' })).toMatchObject({ ok: false });
  });

  it.each([
    [z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), 'a union at its root (anyOf)'],
    [z.discriminatedUnion('k', [z.object({ k: z.literal('a') })]), 'a union at its root (oneOf)'],
    [{ $ref: '#/$defs/a', $defs: { a: { type: 'object' } } }, 'a reference at its root ($ref)'],
    [{ allOf: [{ type: 'object' }] }, 'an intersection at its root (allOf)'],
    [z.array(z.string()), 'the type of its input is "array"'],
    [{}, 'the type of its input is undefined'],
    [{ type: ['object'] }, 'the type of its input is ["object"]'],
  ])('that is no object at its root is refused, with the way out: %#', (input, message) => {
    expect(() => toolWith(input)).toThrow(message);
    expect(() => toolWith(input)).toThrow('Make it a member of an object');
  });

  it.each([
    [{ properties: { a: { type: 'strng' } } }, '#/properties/a/type is "strng"; it must be a type'],
    [{ required: 'a' }, '#/required is "a"; it must be a list of names'],
    [{ properties: [] }, '#/properties is []; it must be an object of schemas'],
    [{ properties: { a: 7 } }, '#/properties/a is 7; a schema is an object, true or false'],
    [{ properties: { a: { anyOf: {} } } }, '#/properties/a/anyOf is {}; it must be a list of schemas'],
    [{ properties: { a: { minLength: -1 } } }, 'it must be a whole number from 0'],
    [{ properties: { a: { $ref: '#/$defs/gone' } } }, 'the $ref "#/$defs/gone" leads nowhere in the schema'],
    [{ properties: { a: { $ref: 'https://example.com/a.json' } } }, 'leads nowhere'],
    [{ properties: { a: { $ref: '#/properties/a' } } }, 'the $ref "#/properties/a" leads back to itself'],
    [{ allOf: [{ $ref: '#' }] }, 'the $ref "#" leads back to itself'],
    [{ dependentSchemas: { a: { $ref: '#' } } }, 'the $ref "#" leads back to itself'],
    [{ dependencies: { a: { $ref: '#' }, b: ['a'] } }, 'the $ref "#" leads back to itself'],
  ])('that no value can be checked against is refused: %o', (schema, message) => {
    expect(() => toolWith({ type: 'object', ...schema })).toThrow(message);
  });

  it('that holds itself is refused', () => {
    const circle: Record<string, unknown> = { type: 'object' };
    circle['properties'] = { a: circle };
    expect(() => toolWith(circle)).toThrow('nested more than 200 levels deep');
  });

  it('of 20,000 members is taken', async () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `m${index}`);
    const tool = toolWith({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string', pattern: '^[a-z]+$' }])),
    });
    expect(await tool.validate({ m7: 'a' })).toMatchObject({ ok: true });
    expect(await tool.validate({ m7: '7' })).toMatchObject({ ok: false });
  });

  it('may not be changed by whoever gave it', async () => {
    const schema = { type: 'object', properties: { a: { type: 'number' } } };
    const tool = toolWith(schema);
    schema.properties.a.type = 'string';
    expect(await tool.validate({ a: 1 })).toMatchObject({ ok: true });
  });
});

describe('arguments that are wrong', () => {
  it.each([
    ['JSON Schema', { type: 'object', properties: { a: { type: 'array', items: { type: 'number' } } } }],
    ['zod', z.object({ a: z.array(z.number()) })],
  ])('are told in twenty issues, however many there are: %s', async (_, input) => {
    const checked = await toolWith(input).validate({ a: Array.from({ length: 5000 }, () => 'x') });
    const lines = checked.ok ? [] : checked.issues.split('\n');
    expect(lines).toHaveLength(21);
    expect(lines[0]).toContain('a.0: ');
    expect(lines.at(-1)).toBe('… and 4980 more like these.');
  });

  it('in more places than the check can list are told by the first', async () => {
    const input = { type: 'object', properties: { a: { type: 'array', items: { type: 'number' } } } };
    const checked = await toolWith(input).validate({ a: Array.from({ length: 300_000 }, () => 'x') });
    expect(checked).toMatchObject({ ok: false, issues: expect.stringContaining('a.0: ') as string });
  });
});

describe('an unknown property', () => {
  const question = {
    type: 'object',
    properties: { question: { type: 'string' }, choices: { type: 'array' } },
    required: ['question'],
    additionalProperties: false,
  };
  const { validate } = toolWith({
    type: 'object',
    properties: { questions: { type: 'array', items: { $ref: '#/$defs/question' } } },
    $defs: { question },
    additionalProperties: false,
  });

  it.each([
    [
      { questions: [{ question: 'Tea?', options: ['x'] }] },
      'questions.0: there is no property "options"; known: question, choices',
    ],
    [
      { questions: [{ question: 'Tea?', choises: ['x'] }] },
      'questions.0: there is no property "choises"; did you mean "choices"?',
    ],
    [{ question: 'Tea?' }, 'there is no property "question"; did you mean "questions"?'],
  ])('is reported once, with the known ones: %j', async (given, issues) => {
    expect(await validate(given)).toEqual({ ok: false, issues });
  });
});

describe('a pattern that is not run', () => {
  const input = {
    type: 'object',
    properties: {
      slow: { type: 'string', pattern: '^(a+)+$' },
      broken: { type: 'string', pattern: '(' },
      fine: { type: 'string', pattern: '^\\d{3}\\-\\d{4}$' },
    },
    patternProperties: { '^(x|x)*$': { type: 'number' } },
    additionalProperties: false,
  };

  it('lets everything through, at once, and the others do not', async () => {
    const { validate } = toolWith(input);
    expect(await validate({ slow: `${'a'.repeat(50_000)}!`, broken: ')' })).toMatchObject({ ok: true });
    // Which members it would have named is not known.
    expect(await validate({ [`${'x'.repeat(50_000)}!`]: 1 })).toMatchObject({ ok: true });
    expect(await validate({ fine: '123-4567' })).toMatchObject({ ok: true });
    expect(await validate({ fine: '1234567' })).toMatchObject({ ok: false });
  });

  it('is warned of once, by the name of the tool', async () => {
    const lines: Record<string, unknown>[] = [];
    const logStream = {
      write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
    };
    const agent = await createAgent({
      model: scriptedModel([{ text: 'Yes.' }]),
      tools: [toolWith(input)],
      logStream,
    });
    onTestFinished(() => agent.close());
    agent.tools.add({ ...toolWith(input), name: 'look2' });
    agent.tools.add({ ...toolWith(input), name: 'look3' })();
    agent.tools.add({ ...toolWith(input), name: 'look3' });
    await agent.run('Well?');
    const warned = lines.filter(({ code }) => code === 'TOOL_UNCHECKED');
    expect(warned.map(({ tool }) => tool)).toEqual(['look', 'look2', 'look3']);
    expect(warned[0]?.['msg']).toBe(
      'The arguments of the tool look are not checked in full. ' +
        '#/properties/slow/pattern: the pattern "^(a+)+$" can take exponential time: it repeats what can be matched in two ways. ' +
        '#/properties/broken/pattern: the pattern "(" is no regular expression. ' +
        '#/patternProperties/^(x|x)*$: the pattern "^(x|x)*$" can take exponential time: it repeats what can be matched in two ways.',
    );
  });
});
