import { createAnthropic } from '@ai-sdk/anthropic';
import { createAzure } from '@ai-sdk/azure';
import { createOpenAI } from '@ai-sdk/openai';
import {
  createAgent,
  defineTool,
  type Agent,
  type AgentOptions,
  type MessageInput,
  type RunResult,
} from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { collectEvents } from '@shallot/testing';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import { aiSdkModel } from '../../src/index.ts';
import { refuse } from './harms.ts';
import { wireKey as apiKey, wireProviders } from './wire-providers.ts';
import { startWire } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());
beforeEach(() => wire.reset());

const both = ['run', 'stream'] as const;
const image =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const look = defineTool({
  name: 'look',
  description: 'Looks into a hive.',
  input: { type: 'object' },
  execute: () => 'calm',
});

async function open(options: AgentOptions): Promise<Agent> {
  const agent = await createAgent({ log: 'silent', ...options });
  onTestFinished(() => agent.close());
  return agent;
}

const asked = (
  agent: Agent,
  mode: (typeof both)[number],
  input: MessageInput[] | string,
): Promise<RunResult> =>
  mode === 'run' ? agent.run(input, { sessionId: 's' }) : agent.stream(input, { sessionId: 's' }).result;

// Shapes that a strict vendor refuses, and with them each further run of the session.
describe.each(wireProviders)('$name', (provider) => {
  it.each(both)('%s: a blank text beside a call goes no further', async (mode) => {
    wire.answer({ text: '\n\n', toolCalls: [{ id: 'call_1', name: 'look', args: '{}' }] }, { text: 'Calm.' });
    const agent = await open({ model: aiSdkModel(provider.make(wire.url)), tools: [look] });
    expect((await asked(agent, mode, 'Well?')).text).toContain('Calm.');
    expect(wire.refusals).toEqual([]);
  });

  it('a history with blank messages, a greeting first, and a thought last goes on', async () => {
    wire.answer({ text: 'Yes.' });
    const agent = await open({
      model: aiSdkModel(provider.make(wire.url)),
      tools: [look],
      instructions: ' ',
    });
    const history: MessageInput[] = [
      { role: 'assistant', content: 'How can I help?' },
      { role: 'user', content: ' \n' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: '\n' },
          { type: 'tool-call', id: 'c1', name: 'look', input: {} },
        ],
      },
      { role: 'tool', callId: 'c1', name: 'look', content: '' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Calm.' },
          { type: 'reasoning', text: 'And now' },
        ],
      },
      { role: 'user', content: '' },
      { role: 'assistant', content: [{ type: 'reasoning', text: 'Hm.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: '' },
          { type: 'text', text: 'Well?' },
        ],
      },
    ];
    expect((await agent.run(history)).text).toBe('Yes.');
    expect(wire.refusals).toEqual([]);
  });

  it('results of one step that hold several texts and a picture, or only a picture, are one each', async () => {
    const toolCalls = ['several', 'picture'].map((name, index) => ({
      id: `call_${index}`,
      name,
      args: '{}',
    }));
    wire.answer({ toolCalls }, { text: 'A dot.' });
    const picture = { type: 'file', mediaType: 'image/png', data: image } as const;
    const text = (said: string) => ({ type: 'text', text: said }) as const;
    const several = defineTool({
      ...look,
      name: 'several',
      input: { type: 'object' },
      execute: () => ({ content: [text('one'), text(' '), text('two'), picture] }),
    });
    const alone = defineTool({
      ...look,
      name: 'picture',
      input: { type: 'object' },
      execute: () => ({ content: [picture] }),
    });
    const agent = await open({ model: aiSdkModel(provider.make(wire.url)), tools: [several, alone] });
    expect((await agent.run('Draw.')).text).toBe('A dot.');
    expect(wire.refusals).toEqual([]);
  });

  it('a call id that is too long for one vendor is shortened for its result, too', async () => {
    wire.answer({ text: 'Yes.' });
    const agent = await open({ model: aiSdkModel(provider.make(wire.url)), tools: [look] });
    const id = `fc_${'0'.repeat(50)}`;
    const history: MessageInput[] = [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: [{ type: 'tool-call', id, name: 'look', input: {} }] },
      { role: 'tool', callId: id, name: 'look', content: 'calm' },
      { role: 'user', content: 'And?' },
    ];
    expect((await agent.run(history)).text).toBe('Yes.');
    expect(wire.refusals).toEqual([]);
  });
});

describe('what OpenAI keeps and sends back', () => {
  const calls = { toolCalls: [{ id: 'call_1', name: 'look', args: '{}' }], reasoning: 'I look first.' };

  it.each([
    [
      'a deployment of Azure',
      () => createAzure({ baseURL: `${wire.url}/openai`, apiKey })('my-gpt5-deployment'),
    ],
    ['a fine-tune', () => createOpenAI({ baseURL: `${wire.url}/v1`, apiKey }).responses('ft:gpt-5:acme::1')],
    [
      'a model that is newer than the package',
      () => createOpenAI({ baseURL: `${wire.url}/v1`, apiKey }).responses('next-1'),
    ],
  ])('%s: nothing is kept there, and thoughts are sent back', async (_, make) => {
    wire.answer(calls, { text: 'Calm.' });
    const agent = await open({ model: aiSdkModel(make()), tools: [look] });
    expect((await agent.run('Well?')).text).toBe('Calm.');
    expect(JSON.parse(wire.requests[1]?.text ?? '')).toMatchObject({
      store: false,
      include: ['reasoning.encrypted_content'],
      input: expect.arrayContaining([
        expect.objectContaining({ type: 'reasoning', encrypted_content: expect.any(String) as string }),
      ]) as object,
    });
  });

  it('a model that has no thoughts to send is asked for them once', async () => {
    const body =
      '{"error":{"message":"Encrypted content is not supported with this model.","type":"invalid_request_error","param":"include","code":null}}';
    wire.answer({ harm: refuse(400, { body }) }, calls, { text: 'Calm.' });
    const model = aiSdkModel(createAzure({ baseURL: `${wire.url}/openai`, apiKey })('my-deployment'));
    expect((await (await open({ model, tools: [look] })).run('Well?')).text).toBe('Calm.');
    const asks = wire.requests.map(({ text }) => text.includes('reasoning.encrypted_content'));
    expect(asks).toEqual([true, false, false]);
  });

  it('settings of Azure do not make it keep conversations', async () => {
    wire.answer(calls, { text: 'Calm.' });
    const model = aiSdkModel(createAzure({ baseURL: `${wire.url}/openai`, apiKey })('my-deployment'));
    const settings = { provider: { azure: { user: 'u1' } } };
    await (await open({ model, tools: [look], settings })).run('Well?');
    expect(JSON.parse(wire.requests[1]?.text ?? '')).toMatchObject({ store: false, user: 'u1' });
    expect(wire.refusals).toEqual([]);
  });
});

describe('a turn of Anthropic that thinks', () => {
  const settings = { provider: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2000 } } } };
  const claude = () =>
    aiSdkModel(createAnthropic({ baseURL: `${wire.url}/v1`, apiKey })('claude-sonnet-4-5'));

  it('and began with another model goes on without thinking, with a warning, and thinks in the next', async () => {
    wire.answer(
      { toolCalls: [{ id: 'call_1', name: 'look', args: '{}' }] },
      { toolCalls: [{ id: 'call_2', name: 'look', args: '{}' }] },
      { text: 'Calm.' },
      { text: 'Yes.', reasoning: 'Hm.', signature: 's' },
    );
    const gpt = aiSdkModel(createOpenAI({ baseURL: `${wire.url}/v1`, apiKey }).responses('gpt-5'));
    const model = inTurn(gpt, claude());
    const agent = await open({ model, tools: [look], settings });
    const { events, result } = await collectEvents(agent.stream('Well?', { sessionId: 's' }));
    expect(result?.text).toBe('Calm.');
    const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));
    expect(warnings.filter((each) => each.includes('goes on without thinking'))).toHaveLength(1);
    await agent.run('And now?', { sessionId: 's' });
    const thinks = wire.requests
      .slice(1)
      .map(({ text }) => (JSON.parse(text) as { thinking: { type: string } }).thinking.type);
    expect(thinks).toEqual(['disabled', 'disabled', 'enabled']);
    expect(wire.refusals).toEqual([]);
  });

  it('and is forced to call a tool does not think in that step', async () => {
    wire.answer({ toolCalls: [{ id: 'call_1', name: 'look', args: '{}' }] }, { text: 'Calm.' });
    const agent = await open({ model: claude(), tools: [look], settings });
    expect((await agent.run('Well?', { toolChoice: 'required' })).text).toBe('Calm.');
    expect(wire.refusals).toEqual([]);
  });
});

/** The first model answers the first call, the second one all others, as a fallback does. */
function inTurn(first: ChatModel, second: ChatModel): ChatModel {
  let calls = 0;
  return {
    id: second.id,
    generate: (request, call) => ((calls += 1) === 1 ? first : second).generate(request, call),
  };
}
