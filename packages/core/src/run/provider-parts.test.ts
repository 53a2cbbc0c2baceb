import { describe, expect, it, onTestFinished } from 'vitest';

import { collectEvents, scriptedModel, type ScriptedStep } from '../../../testing/src/index.ts';
import {
  createAgent,
  definePlugin,
  defineTool,
  type Agent,
  type AgentOptions,
  type AssistantPart,
  type Message,
} from '../index.ts';
import type { Chunk } from '../model.ts';

const found: readonly AssistantPart[] = [
  { type: 'provider-call', id: 'w', name: 'find', input: { query: 'bees' } },
  { type: 'provider-result', callId: 'w', name: 'find', result: { secret: 'x' } },
  { type: 'source', id: '1', url: 'https://bees.example', title: 'Bees', metadata: { acme: { rank: 1 } } },
  { type: 'source', id: '2', url: 'https://bees.example' },
  {
    type: 'text',
    text: 'In May.',
    citations: [{ source: { id: '3', title: 'Swarms', name: 'swarms.pdf' }, start: 3, end: 6 }],
  },
];
const answer: ScriptedStep = {
  chunks: found.flatMap((part, index): Chunk[] => [
    ...(part.type === 'text' ? [{ type: 'text-delta', index, text: part.text } as const] : []),
    { type: 'part-end', index, part },
  ]),
};
const sources = [
  { id: '1', url: 'https://bees.example', title: 'Bees' },
  { id: '3', title: 'Swarms', name: 'swarms.pdf' },
];

async function open(steps: readonly ScriptedStep[], options: Partial<AgentOptions> = {}): Promise<Agent> {
  const agent = await createAgent({ model: scriptedModel(steps), log: 'silent', ...options });
  onTestFinished(() => agent.close());
  return agent;
}

describe('what a provider did itself', () => {
  it('is in the message and the result, each source once, and is no open call', async () => {
    const agent = await open([answer]);
    const result = await agent.run('When?');
    expect(result).toMatchObject({ text: 'In May.', stopReason: 'answer', steps: 1 });
    expect(result.messages[1]?.content).toEqual(found);
    expect(result.sources).toEqual(sources);
  });

  it('is streamed, and nothing is taken back', async () => {
    const agent = await open([answer]);
    const stream = agent.stream('When?');
    const { events } = await collectEvents(stream);
    expect(events.flatMap((event) => (event.type === 'part-end' ? [event.part] : []))).toEqual(found);
    expect(events.some(({ type }) => type === 'restart')).toBe(false);
    expect((await stream.result).sources).toEqual(sources);
  });

  it('passes no layer and no gate', async () => {
    const seen: string[] = [];
    const guard = definePlugin({
      name: 'guard',
      setup({ hooks }) {
        hooks.wrapToolCall.tapPromise({ name: 'gate', gate: true }, (call, next) => {
          seen.push(call.name);
          return next(call);
        });
      },
    });
    const agent = await open([answer], { plugins: [guard()], providerTools: ['acme.find'] });
    await agent.run('When?');
    expect(seen).toEqual([]);
  });

  it('is no answer by itself', async () => {
    const looked: ScriptedStep = {
      chunks: found.slice(0, 3).map((part, index): Chunk => ({ type: 'part-end', index, part })),
    };
    const agent = await open([looked, { text: 'In May.' }]);
    expect(await agent.run('When?')).toMatchObject({ text: 'In May.', steps: 2 });
  });

  it('goes on in the next step after a pause, within the steps that there are', async () => {
    const paused: ScriptedStep = {
      chunks: found.slice(0, 2).map((part, index): Chunk => ({ type: 'part-end', index, part })),
      end: 'paused',
    };
    const agent = await open([paused, answer, paused, paused], { maxSteps: 2 });
    expect(await agent.run('When?')).toMatchObject({ steps: 2, stopReason: 'answer', text: 'In May.' });
    expect(await agent.run('When?')).toMatchObject({ steps: 2, stopReason: 'max-steps', text: '' });
  });
});

describe('tools that a provider executes', () => {
  it('are in each request, but not in that of a last answer or of a plugin', async () => {
    const model = scriptedModel([
      { text: 'Short.' },
      { toolCalls: [{ name: 'look' }] },
      { text: 'That is all.' },
    ]);
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      input: { type: 'object' },
      execute: () => 'calm',
    });
    const asked: Message = { id: 'm', role: 'user', content: [{ type: 'text', text: 'Sum.' }] };
    const sums = definePlugin({
      name: 'sums',
      setup({ hooks, generate }) {
        hooks.beforeAgent.tapPromise('sum', async (run) => {
          await generate(run, { messages: [asked] }, { purpose: 'sum' });
        });
      },
    });
    const providerTools = ['acme.find_20250305', { id: 'other.map', args: { size: 3 } }];
    const options = { model, tools: [look], plugins: [sums()], maxSteps: 1, maxStepsAnswer: true };
    const agent = await open([], { ...options, providerTools });
    await agent.run('Look.');
    expect(model.requests.map(({ providerTools: offered }) => offered)).toEqual([
      undefined,
      [
        { id: 'acme.find_20250305', name: 'find', args: {} },
        { id: 'other.map', name: 'map', args: { size: 3 } },
      ],
      undefined,
    ]);
  });

  it.each([
    [['find'], 'write an id such as openai.web_search, or an object with id, args'],
    [['acme.find', { id: 'acme.find', args: {} }], 'The option "providerTools" lists acme.find twice.'],
    [[{ id: 'acme.find', arg: {} }], 'did you mean "args"?'],
  ])('%j is refused', async (providerTools, words) => {
    const opened = open([], { providerTools });
    await expect(opened).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await expect(opened).rejects.toThrow(words);
  });

  it('share their names with no other tool', async () => {
    const find = defineTool({
      name: 'find',
      description: 'Finds.',
      input: { type: 'object' },
      execute: () => 'x',
    });
    await expect(open([], { tools: [find], providerTools: ['acme.find'] })).rejects.toMatchObject({
      code: 'TOOL_DUPLICATE',
      message:
        'There are two tools named "find": the agent provides one, and the provider executes the other (acme.find in "providerTools"). Rename the first, or remove one.',
    });
  });
});
