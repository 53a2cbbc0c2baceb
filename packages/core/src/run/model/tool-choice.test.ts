import { describe, expect, it, onTestFinished } from 'vitest';

import { scriptedModel, type ScriptedModel, type ScriptedStep } from '../../../../testing/src/index.ts';
import {
  createAgent,
  definePlugin,
  defineTool,
  memoryStore,
  type Agent,
  type AgentOptions,
  type Tool,
} from '../../index.ts';
import type { ToolChoice } from '../../model.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks into a hive.',
  input: { type: 'object' },
  execute: () => 'calm',
});
const called: ScriptedStep = { toolCalls: [{ name: 'look' }] };
const search: ScriptedStep = {
  chunks: [{ type: 'part-end', index: 0, part: { type: 'provider-call', id: 'w', name: 'find', input: {} } }],
  end: 'paused',
};

async function open(
  steps: readonly ScriptedStep[],
  options: Partial<AgentOptions> = {},
): Promise<{ readonly agent: Agent; readonly model: ScriptedModel }> {
  const model = scriptedModel(steps);
  const agent = await createAgent({ model, tools: [look], log: 'silent', ...options });
  onTestFinished(() => agent.close());
  return { agent, model };
}

const choices = ({ requests }: ScriptedModel): unknown[] => requests.map(({ toolChoice }) => toolChoice);

it.each<ToolChoice>(['required', { tool: 'look' }])(
  '%j holds until a tool was called',
  async (toolChoice) => {
    const { agent, model } = await open([called, called, { text: 'Calm.' }]);
    await agent.run('Look.', { toolChoice });
    expect(choices(model)).toEqual([toolChoice, undefined, undefined]);
  },
);

it.each<ToolChoice>(['auto', 'none'])('%j holds for the whole run', async (toolChoice) => {
  const { agent, model } = await open([called, { text: 'Calm.' }]);
  await agent.run('Look.', { toolChoice });
  expect(choices(model)).toEqual([toolChoice, toolChoice]);
});

it('is a setting of the agent, of a run, and an option of it: the nearest counts', async () => {
  const { agent, model } = await open([{ text: 'a' }, { text: 'b' }, { text: 'c' }], {
    settings: { toolChoice: 'none', seed: 1 },
  });
  await agent.run('a');
  await agent.run('b', { settings: { toolChoice: 'auto' } });
  await agent.run('c', { settings: { toolChoice: 'auto' }, toolChoice: 'required' });
  expect(choices(model)).toEqual(['none', 'auto', 'required']);
  expect(model.requests.map(({ settings }) => settings)).toEqual([{ seed: 1 }, { seed: 1 }, { seed: 1 }]);
});

it('a new run begins anew', async () => {
  const { agent, model } = await open([called, { text: 'a' }, called, { text: 'b' }], {
    settings: { toolChoice: 'required' },
  });
  await agent.run('a', { sessionId: 's' });
  await agent.run('b', { sessionId: 's' });
  expect(choices(model)).toEqual(['required', undefined, 'required', undefined]);
});

it('holds after a call that was cut off, or given up by a hook', async () => {
  const { agent, model } = await open([{ ...called, finish: 'length' }, called, called, { text: 'Calm.' }], {
    plugins: [
      definePlugin({
        name: 'twice',
        afterModel(_response, run) {
          if (run.step === 2) run.again('Once more.');
        },
      })(),
    ],
  });
  await agent.run('Look.', { toolChoice: 'required' });
  expect(choices(model)).toEqual(['required', 'required', 'required', undefined]);
});

it('counts what the provider called, while it goes on in the next step', async () => {
  const { agent, model } = await open([search, { text: 'Found.' }], { providerTools: ['acme.find'] });
  const { steps, text } = await agent.run('Find.', { toolChoice: { tool: 'find' } });
  expect({ steps, text }).toEqual({ steps: 2, text: 'Found.' });
  expect(choices(model)).toEqual([{ tool: 'find' }, undefined]);
});

it('is kept in a request that loses its provider tools, and not in one without any tool', async () => {
  let tools: Tool[] = [look];
  const { agent, model } = await open([{ text: 'a' }, { text: 'b' }], {
    plugins: [
      definePlugin({
        name: 'bare',
        beforeModel: (request) => ({ ...request, tools, providerTools: [] }),
      })(),
    ],
  });
  await agent.run('a', { toolChoice: 'auto' });
  tools = [];
  await agent.run('b', { toolChoice: 'auto' });
  expect(choices(model)).toEqual(['auto', undefined]);
});

it('goes on with a run that is taken up: what was called stays called', async () => {
  const store = memoryStore();
  const asks = defineTool({
    name: 'ask',
    description: 'Asks.',
    input: { type: 'object' },
    execute: (_, { interrupt }) =>
      interrupt({ kind: 'q', payload: {}, answer: { type: 'object' } }).then(() => 'yes'),
  });
  const { agent, model } = await open([{ toolCalls: [{ name: 'ask' }] }, { text: 'Done.' }], {
    tools: [asks],
    store,
  });
  const { interrupts } = await agent.run('Ask.', { sessionId: 's', toolChoice: 'required' });
  await agent.resume('s', { [interrupts[0]?.id ?? '']: {} });
  expect(choices(model)).toEqual(['required', undefined]);
});

describe('what is wrong with a choice', () => {
  it('a tool that is not offered is named, with those that are', async () => {
    const { agent } = await open([{ text: 'a' }]);
    await expect(agent.run('a', { toolChoice: { tool: 'lock' } })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: 'toolChoice names the tool "lock", which is not offered. The tools are: look.',
    });
  });

  it('another value is refused', async () => {
    const { agent } = await open([{ text: 'a' }]);
    await expect(agent.run('a', { toolChoice: 'requird' as never })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining('did you mean "required"?') as unknown,
    });
  });
});
