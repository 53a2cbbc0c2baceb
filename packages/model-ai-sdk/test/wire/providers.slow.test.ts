import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Agent, Input, RunOptions, RunResult } from '@shallot/core';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { rewritten } from './harms.ts';
import { forgetKeys, loopbackKey as key, makeProject, openAgent, openOnLoopback } from './project.ts';
import { providerFacts } from './provider-facts.ts';
import { providerTable } from './provider-table.ts';
import { rulesTable } from './rules-table.ts';
import { searched, searchedAnswer } from './searched-answer.ts';
import { sentSchema } from './sent-schema.ts';
import { strictServerOf } from './strict/strict-server-of.ts';
import { strictVendorOf } from './strict/strict-vendors.ts';
import { startWire, type Answer } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());
beforeEach(() => {
  wire.reset();
  forgetKeys();
});

const image =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const both = ['run', 'stream'] as const;
type Mode = (typeof both)[number];

describe.each(providerFacts)('$provider, named in a config', (facts) => {
  const { supports, fits = String, reasons = String } = facts;
  const open = (): Promise<Agent> => openOnLoopback(facts, wire.url, { 'tool.mjs': lookModule });
  const answered = async (mode: Mode, input: Input, options: RunOptions = {}): Promise<RunResult> => {
    const agent = await open();
    return mode === 'run' ? agent.run(input, options) : agent.stream(input, options).result;
  };
  const answer = (each: Answer, rewrite = fits): void => wire.answer({ ...each, harm: rewritten(rewrite) });

  it.each(both)('%s: answers', async (mode) => {
    answer({ text: 'Nine days.' });
    expect((await answered(mode, 'How often?')).text).toBe('Nine days.');
    const sent = JSON.stringify(wire.requests[0]?.headers);
    expect(sent.includes(key)).toBe(facts.provider !== 'ollama');
    expect(strictVendorOf(wire.requests[0]?.path ?? '')?.name ?? 'none').toBe(strictServerOf(facts.provider));
  });

  it.each(both)('%s: calls tools, several at once, or says that it cannot', async (mode) => {
    const toolCalls = [
      { id: 'call_1', name: 'look', args: '{"hive":1}' },
      { id: 'call_2', name: 'look', args: '{"hive":2}' },
    ];
    answer({ toolCalls });
    answer({ text: 'Calm.' });
    // Some packages know no tools, or send no results back.
    await answered(mode, 'Look.').catch((error: unknown) => {
      if (supports.tools) throw error;
    });
    const sent = wire.requests[1]?.text ?? '';
    expect(sent.includes('hive 1 is calm') && sent.includes('hive 2 is calm')).toBe(supports.tools);
  });

  it.each(supports.reasoning === 'untried' ? [] : both)('%s: reasons', async (mode) => {
    const rewrite = reasons === String ? fits : (body: string): string => reasons(fits(body));
    answer({ text: 'Nine days.', reasoning: 'Nine days is a habit.', signature: 'signed' }, rewrite);
    const { messages, text } = await answered(mode, 'How often?');
    expect(text).toBe('Nine days.');
    const thoughts = messages.at(-1)?.content.filter(({ type }) => type === 'reasoning');
    expect(thoughts).toMatchObject(supports.reasoning ? [{ text: 'Nine days is a habit.' }] : []);
  });

  it.each(both)('%s: is shown images', async (mode) => {
    answer({ text: 'A dot.' });
    await answered(mode, { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: image }] });
    expect(wire.requests[0]?.text.includes(image)).toBe(supports.images);
  });

  it.each(supports.sources === 'untried' ? [] : both)('%s: says what its answer rests on', async (mode) => {
    wire.answer(searchedAnswer(facts.searched ?? 'chat'));
    const { text, sources } = await answered(mode, 'When?');
    expect(text).toBe(searched.text);
    const has = supports.sources === 'whole' ? mode === 'run' : supports.sources;
    expect(sources).toHaveLength(has === true ? 1 : 0);
  });

  it.each(both)('%s: answers in the shape of a schema', async (mode) => {
    wire.answer(({ text: sent }) => ({
      ...(sentSchema(sent).how === 'tool'
        ? { toolCalls: [{ name: 'json', args: '{"days":9}' }] }
        : { text: '{"days":9}' }),
      harm: rewritten(fits),
    }));
    const output = { type: 'object', properties: { days: { type: 'number' } }, required: ['days'] };
    expect((await answered(mode, 'How often?', { output })).output).toEqual({ days: 9 });
    expect(sentSchema(wire.requests[0]?.text ?? '').how).not.toBe('nothing');
  });
});

it('takes all that an entry can say', async () => {
  wire.answer({ text: 'Yes.' });
  const model = {
    provider: 'openai',
    model: 'gpt-9',
    api: 'chat',
    baseURL: `${wire.url}/v1`,
    apiKey: { $env: 'MY_KEY' },
    headers: { 'x-hive': '7' },
    contextTokens: 32_768,
    outputTokens: 4096,
    options: { organization: 'the club' },
  };
  vi.stubEnv('MY_KEY', key);
  const agent = await openAgent(makeProject(model, { packages: ['@ai-sdk/openai'] }));
  expect((await agent.run('Well?')).text).toBe('Yes.');
  const [request] = wire.requests;
  expect(request?.path).toBe('/v1/chat/completions');
  expect(request?.headers).toMatchObject({
    'x-hive': '7',
    'openai-organization': 'the club',
    authorization: `Bearer ${key}`,
  });
});

it.each([
  ['guides/models.md', providerTable()],
  ['reference/vendor-rules.md', rulesTable()],
])('is what %s says', (page, table) => {
  const guide = readFileSync(join(import.meta.dirname, '../../../../docs', page), 'utf8');
  // How wide its columns are, the formatter decides.
  const flat = (text: string): string => text.replaceAll(/ {2,}/g, ' ').replaceAll(/-{3,}/g, '---');
  expect(flat(guide)).toContain(flat(table));
});

const lookModule = `
export const look = {
  [Symbol.for('shallot.tool')]: true, name: 'look', description: 'Looks into a hive.',
  inputSchema: { type: 'object', properties: { hive: { type: 'number' } } }, returnDirectly: false, effect: 'read',
  validate: (value) => ({ ok: true, value }), execute: ({ hive }) => 'hive ' + hive + ' is calm',
};
`;
