import { describe, expect, it } from 'vitest';

import { durationMs, keepOption } from './keep-option.ts';
import { readOptions, shapeSchema, type Shape } from './option-shape.ts';
import { permissionsOption } from './permissions-option.ts';
import { byOption, modelSettings, notesOptions, plainOptions } from './plain-options.ts';
import { toProviderTools } from './provider-tools.ts';
import { schemaCheck } from './schema-check.ts';
import { sizeOption, tokenSizeOption, tokensOfSize } from './size-option.ts';

/** The refusal of a value by an option; undefined if it is taken. */
function refusal(option: Shape[string], value: unknown): string | undefined {
  try {
    readOptions('f', { it: option }, { it: value });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('options of an agent', () => {
  it('have their documented defaults', () => {
    expect(readOptions('createAgent', plainOptions, {})).toEqual({
      name: 'agent',
      maxSteps: 50,
      maxStepsAnswer: false,
      toolConcurrency: 8,
      toolErrors: 'report',
      providerTools: [],
      hookTimeoutMs: 30_000,
      startTimeoutMs: 60_000,
      closeTimeoutMs: 10_000,
      modelIdleMs: 120_000,
      modelTimeoutMs: 600_000,
      claimMs: 60_000,
    });
  });

  it.each([
    ['maxSteps', 1, 0],
    ['toolConcurrency', 1, 0],
    ['maxResultTokens', 0.5, 0],
    ['maxResultTokens', Infinity, 'many'],
    ['hookTimeoutMs', Infinity, 0],
    ['modelIdleMs', 0.1, '1'],
    ['claimMs', 2 ** 31 - 1, 2 ** 31],
    ['claimMs', 1, 0],
    ['sessionCacheBytes', 0, -1],
    ['name', 'a', ' '],
    ['providerTools', ['openai.web_search'], ['web_search']],
    ['providerTools', [{ id: 'a.b', args: {} }], [{ args: {} }]],
  ] as const)('%s may be %j and not %j', (name, right, wrong) => {
    expect(refusal(plainOptions[name], right)).toBeUndefined();
    expect(refusal(plainOptions[name], wrong)).toContain(`option "it`);
  });

  it('may be any positive limit in a file, too', () => {
    const properties = shapeSchema(plainOptions)['properties'];
    for (const name of ['hookTimeoutMs', 'modelIdleMs', 'maxResultTokens'])
      expect(properties).toHaveProperty(name, expect.objectContaining({ exclusiveMinimum: 0 }));
    for (const name of ['maxSteps', 'toolConcurrency'])
      expect(properties).toHaveProperty(name, expect.objectContaining({ minimum: 1 }));
  });

  it.each([
    [0, -1],
    [0.5, 'free'],
  ])('prices may be %j and not %j', (right, wrong) => {
    const table = (price: unknown) => ({
      'a/b': { input: price, output: price, tiers: [{ above: price, input: price, output: price }] },
    });
    expect(refusal(plainOptions.prices, table(right))).toBeUndefined();
    expect(refusal(plainOptions.prices, table(wrong))?.split('\n')).toHaveLength(5);
  });

  it.each([
    [{ maxOutputTokens: 1 }, { maxOutputTokens: 0 }],
    [{ stopSequences: ['\n'] }, { stopSequences: [''] }],
    [{ toolChoice: { tool: 'find' } }, { toolChoice: {} }],
    [{ toolChoice: 'none' }, { toolChoice: 'all' }],
  ])('settings may be %j and not %j', (right, wrong) => {
    expect(refusal(modelSettings, right)).toBeUndefined();
    expect(refusal(modelSettings, wrong)).toContain('option "it');
  });

  it('name people and places in limited texts', () => {
    for (const option of [byOption, notesOptions.owner, notesOptions.title]) {
      expect(refusal(option, 'x'.repeat(100))).toBeUndefined();
      for (const wrong of ['', 'x'.repeat(101), 'a\nb'])
        expect(refusal(option, wrong)).toContain('1 to 100 char');
    }
    expect(refusal(notesOptions.cwd, 'x'.repeat(200))).toBeUndefined();
    expect(refusal(notesOptions.cwd, 'x'.repeat(501))).toContain('1 to 500 characters');
  });

  it('list each tool of a provider once, with the name that models use', () => {
    expect(toProviderTools(['anthropic.web_search_20250305', { id: 'openai.code', args: { a: 1 } }])).toEqual(
      [
        { id: 'anthropic.web_search_20250305', name: 'web_search', args: {} },
        { id: 'openai.code', name: 'code', args: { a: 1 } },
      ],
    );
    expect(() => toProviderTools(['a.b', 'a.c', { id: 'a.b' }])).toThrow('lists a.b twice');
  });
});

describe('options of permissions', () => {
  it.each([
    { allow: ['edit(src/**)'], ask: ['edit'], deny: ['shell'], default: 'deny' },
    { mode: 'edits' },
    { mode: 'read-only', maxMode: 'read-only' },
  ])('may be %j', (permissions) => {
    expect(refusal(permissionsOption, permissions)).toBeUndefined();
  });

  it.each([
    [{ maxMode: 'read-only' }, 'is wider than the mode "read-only" of maxMode'],
    [{ mode: 'edits', maxMode: 'ask' }, 'is wider than the mode "ask" of maxMode'],
    [{ allow: ['edit', 'shell'], deny: ['shell'] }, 'the rule "shell" stands in "deny", too'],
    [{ ask: ['edit'], deny: ['edit'] }, 'the rule "edit" stands in "deny", too'],
    [{ allow: ['edit('] }, 'write a tool and a pattern'],
    [{ allow: [''] }, 'option "it.allow.0"'],
  ])('may not be %j', (permissions, fault) => {
    expect(refusal(permissionsOption, permissions)).toContain(fault);
  });
});

describe('sizes and durations', () => {
  it('of a conversation are set in one way', () => {
    for (const size of [{ tokens: 1 }, { fraction: 1 }, { fraction: 0.1 }]) {
      expect(refusal(sizeOption, size)).toBeUndefined();
      expect(refusal(tokenSizeOption, size)).toBeUndefined();
    }
    expect(refusal(sizeOption, { messages: 1 })).toBeUndefined();
    for (const size of [{}, { tokens: 1, fraction: 1 }]) {
      expect(refusal(sizeOption, size)).toContain('exactly one of messages, tokens and fraction');
      expect(refusal(tokenSizeOption, size)).toContain('exactly one of tokens and fraction');
    }
    for (const size of [{ messages: 0 }, { tokens: 0 }, { fraction: 0 }, { fraction: 1.1 }])
      expect(refusal(sizeOption, size)).toContain('option "it.');
  });

  it('of a conversation are converted to tokens', () => {
    expect(tokensOfSize({ tokens: 7 }, 100)).toBe(7);
    expect(tokensOfSize({ fraction: 0.5 }, 100)).toBe(50);
    expect(tokensOfSize({ fraction: 0.5 }, undefined)).toBe(Infinity);
    expect(tokensOfSize({ messages: 3 }, 100)).toBeUndefined();
  });

  it.each([
    ['1h', 3_600_000],
    ['30d', 2_592_000_000],
    ['2w', 1_209_600_000],
  ])('of %s are %d milliseconds', (text, ms) => {
    expect(refusal(keepOption, { failed: text })).toBeUndefined();
    expect(durationMs(text)).toBe(ms);
  });

  it.each(['0h', '1m', 'h', '123456h', '1.5d', ' 1d'])('of %j are refused', (text) => {
    expect(refusal(keepOption, { failed: text })).toContain('a number with h, d or w');
  });
});

describe('a check by JSON Schema', () => {
  it('accepts and refuses values, and says what it does not check', async () => {
    const check = schemaCheck({ type: 'string', pattern: '(' });
    if (typeof check === 'string') throw new Error(check);
    expect(check.unchecked).toHaveLength(1);
    expect(await check.validate('text')).toMatchObject({ ok: true });
    expect(await check.validate(7)).toMatchObject({ ok: false });
    expect(schemaCheck({ type: 'string' })).toMatchObject({ unchecked: [] });
  });

  it('is not made of a schema with faults, of which it names five', () => {
    const bad = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, { type: 'x' }]));
    expect(schemaCheck({ type: 'nothing' })).toContain('nothing');
    const faults = schemaCheck({ properties: bad });
    expect(typeof faults === 'string' && faults.split('; it must be')).toHaveLength(6);
  });
});
