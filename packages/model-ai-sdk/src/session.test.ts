import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAgent, defineTool } from '@shallot/core';
import { sqliteStore } from '@shallot/core/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { fakeLanguageModel, finish, type FakeAnswer } from '../test/sdk/language-model.ts';
import { aiSdkModel } from './ai-sdk-model.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shallot-model-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const executed: unknown[] = [];
const add = defineTool({
  name: 'add',
  description: 'Adds.',
  input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
  execute: (input) => {
    executed.push(input);
    return 'added';
  },
});

const calling: FakeAnswer = {
  stream: [
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'I add.' },
    { type: 'reasoning-end', id: 'r', providerMetadata: { anthropic: { signature: 'sig-1' } } },
    { type: 'tool-call', toolCallId: 'toolu_1', toolName: 'add', input: '{"n":1}' },
    finish('tool-calls'),
  ],
};
const done: FakeAnswer = { stream: [{ type: 'text-delta', id: 't', delta: 'Done.' }, finish()] };
const inPieces = { content: [{ type: 'text', text: 'Done.' }] } as const;

async function run(language: ReturnType<typeof fakeLanguageModel>, input: string): Promise<string> {
  await using agent = await createAgent({
    model: aiSdkModel(language),
    tools: [add],
    store: sqliteStore(join(folder, 'sessions.db')),
    log: 'silent',
  });
  const stream = agent.stream(input, { sessionId: 's' });
  for await (const _ of stream);
  return (await stream.result).text;
}

describe('a session', () => {
  it('gives a provider back what it signed, also from the store, and no other provider', async () => {
    const claude = fakeLanguageModel([calling, done], { provider: 'anthropic.messages' });
    expect(await run(claude, 'Add.')).toBe('Done.');
    expect(JSON.stringify(claude.calls[1]?.prompt)).toContain('sig-1');

    const later = fakeLanguageModel(done, { provider: 'anthropic.messages', version: 'v3' });
    await run(later, 'And now?');
    expect(JSON.stringify(later.calls[0]?.prompt)).toContain('sig-1');

    const gpt = fakeLanguageModel(done, { provider: 'openai.responses' });
    expect(await run(gpt, 'And you?')).toBe('Done.');
    expect(JSON.stringify(gpt.calls[0]?.prompt)).not.toMatch(/sig-1|I add\./);
    expect(gpt.calls[0]?.prompt.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
  });

  it.each([
    ['cut off by the output limit', [finish('length')]],
    ['whose stream has no end', []],
    ['whose stream breaks', [{ type: 'error', error: new Error('reset') } as const]],
  ])('executes nothing of an answer %s', async (_, end) => {
    executed.length = 0;
    const call = { type: 'tool-call', toolCallId: 'a', toolName: 'add', input: '{"n":1}' } as const;
    const language = fakeLanguageModel([{ stream: [call, ...end] }, done]);
    await run(language, 'Add.').catch(() => undefined);
    expect(executed).toEqual([]);
  });

  it('sums the usage of all calls, those of a plugin included', async () => {
    await using agent = await createAgent({
      model: aiSdkModel(
        fakeLanguageModel([
          { content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'add', input: '{"n":1}' }] },
          inPieces,
        ]),
      ),
      tools: [add],
      log: 'silent',
    });
    const { usage, text } = await agent.run('Add.');
    expect(text).toBe('Done.');
    expect(usage).toMatchObject({
      modelCalls: 2,
      input: 20,
      output: 10,
      total: 30,
      cacheRead: 4,
      reasoning: 4,
    });
  });

  it('gets structured output, and asks for it by its schema', async () => {
    const language = fakeLanguageModel({ content: [{ type: 'text', text: '{"n":1}' }] });
    await using agent = await createAgent({ model: aiSdkModel(language), log: 'silent' });
    const schema = { type: 'object', title: 'number', properties: { n: { type: 'number' } } };
    const { output } = await agent.run('A number.', { output: schema });
    expect(output).toEqual({ n: 1 });
    expect(language.calls[0]?.responseFormat).toEqual({ type: 'json', name: 'number', schema });
  });
});
