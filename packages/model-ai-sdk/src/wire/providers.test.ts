import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Agent } from '@shallot/core';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { rewritten } from './harms.ts';
import { forgetKeys, loopbackKey as key, makeProject, openAgent, openOnLoopback } from './project.ts';
import { features, providerFacts } from './provider-facts.ts';
import { startWire } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());
beforeEach(() => {
  wire.reset();
  forgetKeys();
});

const image =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe.each(providerFacts)('$provider, named in a config', (facts) => {
  const { supports, reasons = String } = facts;

  async function open(): Promise<Agent> {
    return openOnLoopback(facts, wire.url, { 'tool.mjs': lookModule });
  }

  it('answers', async () => {
    wire.answer({ text: 'Nine days.' });
    const { text } = await (await open()).run('How often?');
    expect(text).toBe('Nine days.');
    const sent = JSON.stringify(wire.requests[0]?.headers);
    expect(sent.includes(key)).toBe(facts.provider !== 'ollama');
  });

  it.runIf(supports.tools)('calls tools, several at once', async () => {
    const toolCalls = [
      { id: 'call_1', name: 'look', args: '{"hive":1}' },
      { id: 'call_2', name: 'look', args: '{"hive":2}' },
    ];
    wire.answer({ toolCalls }, { text: 'Calm.' });
    const { text, messages } = await (await open()).stream('Look.').result;
    expect(text).toBe('Calm.');
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(results).toEqual([
      [{ type: 'text', text: 'hive 1 is calm' }],
      [{ type: 'text', text: 'hive 2 is calm' }],
    ]);
    expect(wire.requests[1]?.text).toContain('hive 1 is calm');
    expect(wire.requests[1]?.text).toContain('hive 2 is calm');
  });

  it.runIf(supports.reasoning)('reasons', async () => {
    wire.answer({
      text: 'Nine days.',
      reasoning: 'Nine days is a habit.',
      signature: 'signed',
      harm: rewritten(reasons),
    });
    const { messages } = await (await open()).run('How often?');
    expect(messages.at(-1)?.content).toMatchObject([
      { type: 'reasoning', text: 'Nine days is a habit.' },
      { type: 'text', text: 'Nine days.' },
    ]);
  });

  it.runIf(supports.images)('is shown images', async () => {
    wire.answer({ text: 'A dot.' });
    const agent = await open();
    await agent.run({ role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: image }] });
    expect(wire.requests[0]?.text).toContain(image);
  });

  it.runIf(supports['structured output'])('answers in the shape of a schema', async () => {
    wire.answer({ text: '{"days":9}' });
    const schema = { type: 'object', properties: { days: { type: 'number' } }, required: ['days'] };
    const { output } = await (await open()).run('How often?', { output: schema });
    expect(output).toEqual({ days: 9 });
    expect(wire.requests[0]?.text).toContain('"days"');
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

it('is what the guide says', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../../docs/guides/models.md'), 'utf8');
  const rows = guide.split('\n').filter((line) => line.startsWith('| `'));
  const cellsOf = (row: string): string[] =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const said = rows
    .map(cellsOf)
    .filter(([first = '']) => providerFacts.some(({ provider }) => first === `\`${provider}\``));
  expect(said).toEqual(
    providerFacts.map(({ provider, package: name, key: variable, line, supports }) => [
      `\`${provider}\``,
      `\`${name}\``,
      variable === '' ? 'none' : `\`${variable}\``,
      `\`${line}\``,
      features.filter((feature) => supports[feature]).join(', '),
    ]),
  );
});

const lookModule = `
export const look = {
  [Symbol.for('shallot.tool')]: true, name: 'look', description: 'Looks into a hive.',
  inputSchema: { type: 'object', properties: { hive: { type: 'number' } } }, returnDirectly: false, effect: 'read',
  validate: (value) => ({ ok: true, value }), execute: ({ hive }) => 'hive ' + hive + ' is calm',
};
`;
