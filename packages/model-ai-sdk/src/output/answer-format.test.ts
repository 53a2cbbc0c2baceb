import type { JsonObject } from '@shallot/core';
import { describe, expect, it } from 'vitest';

import { fakeLanguageModel } from '../../test/sdk/language-model.ts';
import { checkLanguageModel } from '../sdk/check-language-model.ts';
import { answerFormat, type AnswerFormat } from './answer-format.ts';

const plain: JsonObject = { type: 'object', properties: { days: { type: 'number' } }, required: ['days'] };
const optional: JsonObject = { type: 'object', properties: { days: { type: 'number' } } };
const closed = { ...plain, additionalProperties: false };

function formatFor(
  schema: JsonObject,
  provider: string,
  {
    hasTools = false,
    options,
    modelId = 'fake-1',
    more = {},
  }: {
    hasTools?: boolean;
    options?: Record<string, JsonObject>;
    modelId?: string;
    more?: object;
  } = {},
): AnswerFormat {
  const fake = Object.assign(fakeLanguageModel({}, { provider }), { modelId }, more);
  const model = checkLanguageModel(fake);
  return answerFormat({ name: 'days', schema }, { model, hasTools }, options);
}

describe('the format of an answer', () => {
  it.each(['openai.responses', 'azure.chat', 'groq.chat', 'xai.chat', 'openrouter', 'my-server.chat'])(
    'closes objects for the strict mode of %s',
    (provider) => {
      const { responseFormat } = formatFor(plain, provider);
      expect(responseFormat).toEqual({ type: 'json', name: 'days', schema: closed });
    },
  );

  it.each([
    ['openai.chat', { openai: { strictJsonSchema: false } }],
    ['azure.responses', { openai: { strictJsonSchema: false } }],
    ['groq.chat', { groq: { strictJsonSchema: false } }],
    [
      'my-server.chat',
      { openaiCompatible: { strictJsonSchema: false }, 'my-server': { strictJsonSchema: false } },
    ],
  ])('leaves strict mode of %s for what it cannot say', (provider, options) => {
    const format = formatFor(optional, provider);
    expect(format.responseFormat).toMatchObject({ schema: optional });
    expect(format.options).toEqual(options);
  });

  it('leaves strict mode under the name that the package reads', () => {
    const { options } = formatFor(optional, 'azure.responses', { options: { azure: { user: 'ada' } } });
    expect(options).toEqual({ azure: { user: 'ada', strictJsonSchema: false } });
  });

  it.each([
    [
      'a long choice of long words',
      { enum: Array.from({ length: 300 }, (_, at) => `${at}`.padEnd(60, 'x')) },
      false,
    ],
    ['a long choice of short words', { enum: Array.from({ length: 300 }, (_, at) => `${at}`) }, true],
    [
      'a short choice of long words',
      { enum: Array.from({ length: 250 }, (_, at) => `${at}`.padEnd(300, 'x')) },
      true,
    ],
    ['a name that is too long', { properties: { ['x'.repeat(120_001)]: { type: 'number' } } }, false],
    ['a word that is too long', { const: 'x'.repeat(120_001) }, false],
  ] as const)('leaves strict mode for sizes that it refuses: %s', (_, member, isStrict) => {
    const inner =
      'properties' in member
        ? { type: 'object', ...member, required: Object.keys(member.properties) }
        : { type: 'string', ...member };
    const schema = {
      type: 'object',
      properties: { days: inner },
      required: ['days'],
    } as unknown as JsonObject;
    const { options } = formatFor(schema, 'openai.chat');
    expect(options).toEqual(isStrict ? {} : { openai: { strictJsonSchema: false } });
  });

  it('says it in the body where no option does', () => {
    const { options } = formatFor(optional, 'openrouter', { options: { openrouter: { user: 'ada' } } });
    const json_schema = { name: 'days', strict: false, schema: optional };
    expect(options).toEqual({
      openrouter: { user: 'ada', response_format: { type: 'json_schema', json_schema } },
    });
  });

  it('uses words where strict mode cannot be left, and a mode for JSON if there are no tools', () => {
    const format = formatFor(optional, 'xai.responses');
    expect(format.words).toContain(JSON.stringify(optional));
    expect(format.responseFormat).toEqual({ type: 'json' });
    expect(formatFor(optional, 'xai.responses', { hasTools: true }).responseFormat).toBeUndefined();
  });

  it.each([{ supportsStructuredOutputs: false }, { config: { supportsStructuredOutputs: false } }])(
    'uses words for a model whose package sends no schema: %o',
    (more) => {
      expect(formatFor(plain, 'acme.chat', { more }).words).toContain('"days"');
    },
  );

  it('follows the settings', () => {
    const off = { openai: { strictJsonSchema: false } };
    expect(formatFor(plain, 'openai.chat', { options: off })).toEqual({
      options: off,
      responseFormat: { type: 'json', name: 'days', schema: plain },
    });
    const on = { mistral: { strictJsonSchema: true } };
    expect(formatFor(plain, 'mistral.chat', { options: on }).responseFormat).toMatchObject({
      schema: closed,
    });
    expect(formatFor(plain, 'mistral.chat').responseFormat).toMatchObject({ schema: plain });
  });

  it('behind a gateway is that of the maker', () => {
    expect(formatFor(optional, 'gateway', { modelId: 'openai/gpt-5' }).options['openai']).toEqual({
      strictJsonSchema: false,
    });
    expect(formatFor(optional, 'gateway', { modelId: 'xai/grok-4' }).words).toBeDefined();
  });

  it.each([
    [{ type: 'array', items: plain }, 'has the type "array" at its root'],
    [{ oneOf: [plain, optional] }, 'has oneOf at its root'],
    [{ $ref: '#/$defs/gone' }, 'has $ref at its root'],
    [{}, 'has no type at its root'],
  ] as const)('refuses a root that is no object, with the way out: %o', (schema, message) => {
    expect(() => formatFor(schema as JsonObject, 'openai.chat')).toThrow(message);
    expect(() => formatFor(schema as JsonObject, 'openai.chat')).toThrow('{ answer: … }');
    expect(formatFor({ type: 'array', items: plain }, 'google.generative-ai').responseFormat).toBeDefined();
  });

  it('takes 20,000 members, references in a circle and deep nesting', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `m${index}`);
    const wide = {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
      required: names,
    };
    const circle = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/a' } },
      required: ['a'],
      $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
    };
    let deep: JsonObject = { type: 'string' };
    for (let level = 0; level < 150; level += 1)
      deep = { type: 'object', properties: { a: deep }, required: ['a'] };
    for (const schema of [wide, deep]) {
      expect(formatFor(schema, 'openai.chat').options).toEqual({ openai: { strictJsonSchema: false } });
    }
    expect(formatFor(circle, 'google.generative-ai').words).toBeDefined();
    expect(formatFor(circle, 'anthropic.messages').options).toEqual({
      anthropic: { structuredOutputMode: 'jsonTool' },
    });
  });
});
