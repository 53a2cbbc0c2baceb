import {
  createAgent,
  definePlugin,
  defineTool,
  memoryStore,
  type Agent,
  type AgentOptions,
  type Message,
} from '@shallot/core';
import { collectEvents } from '@shallot/testing';
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { aiSdkModel } from '../../src/index.ts';
import { forgetKeys, loopbackKey, makeProject, openAgent } from './project.ts';
import {
  encrypted,
  pausedAnswer,
  pausedCall,
  searched,
  searchedAnswer,
  spoken,
  type SearchProtocol,
} from './searched-answer.ts';
import { wireProviders } from './wire-providers.ts';
import { startWire } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());
beforeEach(() => wire.reset());

const both = ['run', 'stream'] as const;

interface Searching {
  readonly name: string;
  readonly protocol: SearchProtocol;
  readonly tool: string;
  /** The form in which the request offers the tool. */
  readonly offered: string;
  /** The provider's own data that is sent back to it. */
  readonly sentBack: readonly string[];
  readonly calls: boolean;
}

const providers: readonly Searching[] = [
  {
    name: 'anthropic',
    protocol: 'anthropic',
    tool: 'anthropic.web_search_20250305',
    offered: '"type":"web_search_20250305","name":"web_search","max_uses":3',
    sentBack: [
      '"type":"server_tool_use","id":"srvtoolu_1"',
      '"type":"web_search_tool_result","tool_use_id":"srvtoolu_1"',
      `"encrypted_content":"${encrypted}"`,
      `"encrypted_index":"index-${encrypted}"`,
    ],
    calls: true,
  },
  {
    name: 'openai, responses',
    protocol: 'responses',
    tool: 'openai.web_search',
    offered: '"type":"web_search"',
    sentBack: ['"type":"web_search_call","id":"ws_1"'],
    calls: true,
  },
  {
    name: 'azure',
    protocol: 'responses',
    tool: 'openai.web_search',
    offered: '"type":"web_search"',
    // The package keeps it to itself.
    sentBack: [],
    calls: true,
  },
  {
    name: 'google',
    protocol: 'gemini',
    tool: 'google.google_search',
    offered: '"googleSearch":{',
    sentBack: [],
    calls: false,
  },
  {
    name: 'xai',
    protocol: 'responses',
    tool: 'xai.web_search',
    offered: '"type":"web_search"',
    sentBack: [],
    calls: true,
  },
];

describe.each(providers)('$name', ({ name, protocol, tool, offered, sentBack, calls }) => {
  it.each(both)('%s: offers its search, and passes on what the answer rests on', async (mode) => {
    wire.answer(searchedAnswer(protocol), searchedAnswer(protocol));
    const agent = await open(name, {
      providerTools: [tool.startsWith('anthropic') ? { id: tool, args: { maxUses: 3 } } : tool],
    });
    const result =
      mode === 'run'
        ? await agent.run('When?', { sessionId: 's' })
        : await agent.stream('When?', { sessionId: 's' }).result;
    expect(wire.requests[0]?.text).toContain(offered);
    expect(result.text).toBe(searched.text);
    expect(result.stopReason).toBe('answer');
    expect(result.steps).toBe(1);
    expect(result.sources.map(({ url }) => url)).toEqual([searched.url]);
    const [, message] = result.messages;
    const types = message?.content.map(({ type }) => type) ?? [];
    expect(types.includes('provider-call') && types.includes('provider-result')).toBe(calls);
    expect(types).toContain('text');

    await agent.run('Sure?', { sessionId: 's' });
    for (const mark of sentBack) expect(wire.requests[1]?.text).toContain(mark);
  });

  it('streams what the message holds', async () => {
    wire.answer(searchedAnswer(protocol));
    const agent = await open(name, { providerTools: [tool] });
    const stream = agent.stream('When?');
    const { events } = await collectEvents(stream);
    const result = await stream.result;
    const ends = events.flatMap((event) => (event.type === 'part-end' && event.part ? [event.part] : []));
    const whole = result.messages[1]?.content.filter(({ type }) => type !== 'text');
    expect(ends.filter(({ type }) => type !== 'text')).toEqual(whole);
    expect(events.some(({ type }) => type === 'restart')).toBe(false);
  });
});

it.each(['anthropic', 'openai, responses'])('%s: says which words rest on which source', async (name) => {
  const protocol = name === 'anthropic' ? 'anthropic' : 'responses';
  wire.answer(searchedAnswer(protocol), searchedAnswer(protocol));
  const agent = await open(name);
  const whole = await agent.run('When?');
  const streamed = await agent.stream('When?').result;
  for (const { messages } of [whole, streamed]) {
    const text = messages[1]?.content.find((part) => part.type === 'text');
    expect(text?.type === 'text' && text.citations).toMatchObject([
      { source: { url: searched.url, title: searched.title } },
    ]);
  }
});

it.each(both)('%s: an answer that pauses goes on in the next step, with what was found', async (mode) => {
  wire.answer(spoken(pausedAnswer), searchedAnswer('anthropic'));
  const agent = await open('anthropic', { providerTools: ['anthropic.web_search_20250305'] });
  const result = await (mode === 'run' ? agent.run('When?') : agent.stream('When?').result);
  expect(result).toMatchObject({ steps: 2, stopReason: 'answer', text: searched.text });
  const sent = JSON.parse(wire.requests[1]?.text ?? '{}') as { messages: { role: string }[] };
  expect(sent.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(wire.requests[1]?.text).toContain(encrypted);
});

it('another provider is sent neither calls nor results', async () => {
  const store = memoryStore();
  wire.answer(searchedAnswer('anthropic'), { text: 'Yes.' }, searchedAnswer('anthropic'));
  const [first, second, third] = [
    await open('anthropic', { store }),
    await open('openai, chat', { store }),
    await open('anthropic', { store }),
  ];
  await first.run('When?', { sessionId: 's' });
  expect((await second.run('Sure?', { sessionId: 's' })).text).toBe('Yes.');
  expect(wire.requests[1]?.text).toContain(searched.text);
  expect(wire.requests[1]?.text).not.toContain('web_search');
  expect(wire.requests[1]?.text).not.toContain(encrypted);
  await third.run('Sure?', { sessionId: 's' });
  expect(wire.requests[2]?.text).toContain(encrypted);
});

it('offers the tools of the provider that is asked, and says it if there are none', async () => {
  const providerTools = ['anthropic.web_search_20250305', 'google.google_search'];
  wire.answer({ text: 'Yes.' }, { text: 'Yes.' });
  const anthropic = await open('anthropic', { providerTools });
  await anthropic.run('When?');
  expect(wire.requests[0]?.text).toContain('web_search_20250305');
  expect(wire.requests[0]?.text).not.toContain('google');
  const openai = await open('openai, chat', { providerTools });
  const { events } = await collectEvents(openai.stream('When?'));
  expect(wire.requests[1]?.text).not.toContain('"tools"');
  expect(events).toContainEqual({
    type: 'warning',
    code: 'MODEL_WARNING',
    message:
      'openai/gpt-4.1: None of the provider tools is offered (anthropic.web_search_20250305, google.google_search): they are those of other providers.',
  });
});

it('a choice of a tool of another provider does not reach a model', async () => {
  wire.answer({ text: 'Yes.' });
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    execute: () => '',
  });
  const agent = await open('openai, chat', { tools: [look], providerTools: ['google.google_search'] });
  await agent.run('When?', { toolChoice: { tool: 'google_search' } });
  expect(wire.requests[0]?.text).not.toContain('google_search');
});

it('says so of a tool that the provider leaves to us', async () => {
  wire.answer({ toolCalls: [{ id: 'call_1', name: 'bash', args: '{"command":"ls"}' }] }, { text: 'Well.' });
  const agent = await open('anthropic', { providerTools: ['anthropic.bash_20250124'] });
  const { events } = await collectEvents(agent.stream('List.'));
  const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));
  expect(warnings.join()).toContain(
    'anthropic.bash_20250124 has to be executed by a program, not by the provider. Remove it from providerTools.',
  );
});

it('a call whose result never came is not sent once the conversation goes on', async () => {
  wire.answer(spoken(pausedCall), searchedAnswer('anthropic'));
  const agent = await open('anthropic', {
    providerTools: ['anthropic.web_search_20250305'],
    maxSteps: 1,
  });
  expect(await agent.run('When?', { sessionId: 's' })).toMatchObject({ stopReason: 'max-steps' });
  await agent.run('And now?', { sessionId: 's' });
  expect(wire.requests[1]?.text).not.toContain('server_tool_use');
  expect(wire.requests[1]?.text).toContain('I search.');
});

it('a result whose call was cut away is not sent', async () => {
  wire.answer(searchedAnswer('anthropic'), { text: 'Yes.' });
  const cut = definePlugin({
    name: 'cut',
    wrapModelCall: (request, next, { run }) =>
      next(run.messages.length < 3 ? request : { ...request, messages: request.messages.map(withoutCalls) }),
  });
  const agent = await open('anthropic', { plugins: [cut()] });
  await agent.run('When?', { sessionId: 's' });
  await agent.run('Sure?', { sessionId: 's' });
  expect(wire.requests[1]?.text).toContain(searched.text);
  expect(wire.requests[1]?.text).not.toContain('web_search_tool_result');
});

it('says so of a tool that the package does not know', async () => {
  wire.answer({ text: 'Yes.' });
  const agent = await open('anthropic', { providerTools: ['anthropic.web_serch_20250305'] });
  const { events } = await collectEvents(agent.stream('When?'));
  const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));
  expect(warnings.join()).toContain('anthropic.web_serch_20250305');
});

it.each(both)('%s: a forced choice holds until the tool was called', async (mode) => {
  const look = defineTool({
    name: 'look',
    description: 'Looks into a hive.',
    input: { type: 'object' },
    execute: () => 'calm',
  });
  wire.answer({ toolCalls: [{ id: 'call_1', name: 'look', args: '{}' }] }, { text: 'Calm.' });
  const agent = await open('openai, chat', { tools: [look] });
  const asked = { toolChoice: { tool: 'look' } } as const;
  await (mode === 'run' ? agent.run('Look.', asked) : agent.stream('Look.', asked).result);
  const choices = wire.requests.map(
    ({ text }) => (JSON.parse(text) as { tool_choice?: unknown }).tool_choice,
  );
  expect(choices[0]).toEqual({ type: 'function', function: { name: 'look' } });
  expect([undefined, 'auto']).toContain(choices[1]);
});

it('are offered from a config', async () => {
  forgetKeys();
  vi.stubEnv('ANTHROPIC_API_KEY', loopbackKey);
  wire.answer(searchedAnswer('anthropic'));
  const model = { provider: 'anthropic', model: 'claude-sonnet-5', baseURL: `${wire.url}/v1` };
  const more = [
    'providerTools:',
    '  - { id: anthropic.web_search_20250305, args: { maxUses: 3 } }',
    '  - openai.web_search_preview',
    'settings: { toolChoice: { tool: web_search } }',
  ].join('\n');
  const agent = await openAgent(makeProject(model, { packages: ['@ai-sdk/anthropic'], more }));
  const { sources } = await agent.run('When?');
  expect(sources).toHaveLength(1);
  expect(wire.requests[0]?.text).toContain('"max_uses":3');
  expect(wire.requests[0]?.text).toContain('"tool_choice":{"type":"tool","name":"web_search"}');
});

function withoutCalls(message: Message): Message {
  if (message.role !== 'assistant') return message;
  return { ...message, content: message.content.filter(({ type }) => type !== 'provider-call') };
}

async function open(name: string, options: Partial<AgentOptions> = {}): Promise<Agent> {
  const provider = wireProviders.find((each) => each.name === name);
  if (provider === undefined) throw new Error(`no provider ${name}`);
  const agent = await createAgent({ model: aiSdkModel(provider.make(wire.url)), log: 'silent', ...options });
  onTestFinished(() => agent.close());
  return agent;
}
