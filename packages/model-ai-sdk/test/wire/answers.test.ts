import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  createAgent,
  defineTool,
  textOf,
  type Agent,
  type AgentOptions,
  type MessageInput,
  type RunOptions,
  type RunResult,
  type Tool,
} from '@shallot/core';
import { sqliteStore } from '@shallot/core/sqlite';
import { collectEvents } from '@shallot/testing';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import { aiSdkModel } from '../../src/index.ts';
import { rewritten } from './harms.ts';
import { wireProviders } from './wire-providers.ts';
import { startWire } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());
beforeEach(() => wire.reset());

const both = ['run', 'stream'] as const;
type Mode = (typeof both)[number];

const sentence = 'The bees are inspected every nine days from April to July, and never in the rain.';
const image =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe.each(wireProviders)('$name', (provider) => {
  const model = aiSdkModel(provider.make(wire.url));

  async function open(options: Partial<AgentOptions> = {}): Promise<Agent> {
    const agent = await createAgent({ model, instructions: 'You know bees.', ...options });
    onTestFinished(() => agent.close());
    return agent;
  }

  it('answers in one piece', async () => {
    wire.answer({ text: sentence });
    const agent = await open();
    const result = await agent.run('How often are the hives inspected?');
    expect(result).toMatchObject({ outcome: 'completed', stopReason: 'answer', text: sentence });
    expect(wire.requests).toHaveLength(1);
    expect(wire.requests[0]?.text).toContain('You know bees.');
    expect(wire.requests[0]?.text).toContain('How often are the hives inspected?');
  });

  it('streams the same answer', async () => {
    wire.answer({ text: sentence });
    const agent = await open();
    const { events, text, result } = await collectEvents(agent.stream('How often?'));
    expect(result).toMatchObject({ outcome: 'completed', text: sentence });
    expect(text).toBe(sentence);
    expect(events.filter(({ type }) => type === 'text-delta').length).toBeGreaterThan(1);
    expect(events.filter(({ type }) => type === 'restart')).toEqual([]);
  });

  it.each(both)('%s: makes two parallel calls in each of two steps', async (mode) => {
    const step = [
      { id: 'call_1', name: 'look', args: '{"hive":1}' },
      { id: 'call_2', name: 'look', args: '{"hive":2}' },
    ];
    // The second step repeats the ids of the first, as some providers do.
    wire.answer({ text: 'I look.', toolCalls: step }, { toolCalls: step }, { text: 'All is well.' });
    const looked: unknown[] = [];
    const agent = await open({ tools: [lookTool(looked)] });
    const { messages, text } = await ended(agent, mode, 'Look twice.');
    expect(text).toBe('All is well.');
    expect(looked).toEqual([{ hive: 1 }, { hive: 2 }, { hive: 1 }, { hive: 2 }]);
    const results = messages.filter((message) => message.role === 'tool');
    expect(results.map(({ content }) => content)).toEqual(
      ['hive 1 is calm', 'hive 2 is calm', 'hive 1 is calm', 'hive 2 is calm'].map((line) => [
        { type: 'text', text: line },
      ]),
    );
    expect(new Set(results.map(({ callId }) => callId)).size).toBe(4);
    expect(countOf(wire.requests[2]?.text, 'is calm')).toBe(4);
    // A layer's change must be visible: the text is repeated, not referenced.
    expect(wire.requests[2]?.text).toContain('I look.');
  });

  it.each(provider.outputMark === undefined ? [] : both)(
    '%s: gives an answer in a given shape',
    async (mode) => {
      wire.answer({ text: '{"days":9}' });
      const agent = await open();
      const output = {
        type: 'object',
        properties: { days: { type: 'number' } },
        required: ['days'],
        additionalProperties: false,
      };
      expect((await ended(agent, mode, 'How often?', { output })).output).toEqual({ days: 9 });
      expect(wire.requests[0]?.text).toContain(provider.outputMark ?? '');
      expect(wire.requests[0]?.text).toContain('"days"');
    },
  );

  it('is shown images', async () => {
    wire.answer({ text: 'A dot.' });
    const question: MessageInput = {
      role: 'user',
      content: [
        { type: 'text', text: 'What is on it?' },
        { type: 'file', mediaType: 'image/png', data: image },
      ],
    };
    const { text } = await (await open()).run(question);
    expect(text).toBe('A dot.');
    expect(wire.requests[0]?.text).toContain(image);
  });

  it.each(provider.usage === undefined ? [] : both)(
    '%s: counts the tokens that the provider says',
    async (mode) => {
      const { put = String, gives = {} } = provider.usage ?? {};
      const answer = { text: 'Yes.', harm: rewritten(put) };
      wire.answer(answer, answer);
      const agent = await open();
      const ask = (): Promise<RunResult> => ended(agent, mode, 'Well?', { sessionId: 'one' });
      expect((await ask()).usage).toEqual({ ...gives, modelCalls: 1 });
      await ask();
      expect((await agent.session('one'))?.usage).toMatchObject({
        input: 200,
        output: 40,
        total: 240,
        modelCalls: 2,
      });
    },
  );

  it.each(provider.reasoning === undefined ? [] : both)(
    '%s: reasons, and is sent back what it signed, by another agent too',
    async (mode) => {
      const { sentBack, settings = {}, rewrite } = provider.reasoning ?? {};
      const folder = mkdtempSync(join(tmpdir(), 'shallot-wire-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const options = { settings, tools: [lookTool([])], store: sqliteStore(join(folder, 'sessions.db')) };
      const reasoning = {
        reasoning: 'Nine days is a habit.',
        signature: 'signature-of-the-provider',
        ...(rewrite === undefined ? {} : { harm: rewritten(rewrite) }),
      };
      wire.answer(
        { ...reasoning, toolCalls: [{ id: 'call_1', name: 'look', args: '{"hive":1}' }] },
        { text: 'Nine.' },
        { text: 'As I said.' },
      );
      const first = await open(options);
      const { messages } = await ended(first, mode, 'How often?', { sessionId: 'one' });
      expect(messages.map(textOf).join(' ')).not.toContain('habit');
      const thought = messages.flatMap(({ content }) => content).find(({ type }) => type === 'reasoning');
      expect(thought).toMatchObject({ text: 'Nine days is a habit.' });
      if (sentBack === undefined) return;
      expect(wire.requests[1]?.text).toContain(sentBack);
      await first.close();

      const second = await open({ ...options, store: sqliteStore(join(folder, 'sessions.db')) });
      await second.run('Really?', { sessionId: 'one' });
      expect(wire.requests[2]?.text).toContain(sentBack);
    },
  );

  it('sends the headers and the options that it is given', async () => {
    wire.answer({ text: 'Yes.' });
    const agent = await open({
      settings: { headers: { 'x-hive': '7' }, temperature: 0.5, maxOutputTokens: 77 },
    });
    await agent.run('Well?');
    expect(wire.requests[0]?.headers['x-hive']).toBe('7');
    expect(wire.requests[0]?.text).toContain('77');
  });
});

function lookTool(looked: unknown[]): Tool {
  return defineTool({
    name: 'look',
    description: 'Looks into a hive.',
    input: { type: 'object', properties: { hive: { type: 'number' } }, required: ['hive'] },
    execute: (args: unknown) => {
      looked.push(args);
      return `hive ${(args as { hive: number }).hive} is calm`;
    },
  });
}

function ended(agent: Agent, mode: Mode, question: string, options: RunOptions = {}): Promise<RunResult> {
  return mode === 'run' ? agent.run(question, options) : agent.stream(question, options).result;
}

function countOf(text: string | undefined, word: string): number {
  return (text ?? '').split(word).length - 1;
}
