import {
  createAgent,
  definePlugin,
  defineTool,
  withInstructions,
  type AgentOptions,
  type Tool,
} from '@shallot/core';
import type { CacheMarks, ModelRequest } from '@shallot/core/model';
import { collectEvents, scriptedModel, testPlugin, type ScriptedStep } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import promptCaching, { type PromptCachingOptions } from './index.ts';

await testPlugin(promptCaching, { manifest: new URL('../package.json', import.meta.url) });

function tool(name: string): Tool {
  return defineTool({
    name,
    description: `The tool ${name}.`,
    input: { type: 'object' },
    execute: () => 'ok',
  });
}

const look: ScriptedStep = { toolCalls: [{ name: 'look' }] };
const done: ScriptedStep = { text: 'Done.' };

interface Given extends Partial<AgentOptions> {
  readonly cacheMarks?: number;
  readonly steps?: readonly ScriptedStep[];
  readonly options?: PromptCachingOptions;
}

async function outcomeOf({ cacheMarks = 4, steps = [look, look, done], options = {}, ...rest }: Given = {}) {
  const model = scriptedModel(steps, { cacheMarks });
  const { plugins = [], ...others } = rest;
  const agent = await createAgent({
    model,
    instructions: 'You know bees.',
    tools: [tool('look'), tool('count')],
    log: 'silent',
    ...others,
    plugins: [promptCaching(options), ...plugins],
  });
  const { events } = await collectEvents(agent.stream('Look.'));
  await agent.close();
  const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));
  return { warnings, requests: model.requests };
}

/** The marks of a request, with messages by their place from the end. */
function marksOf({ cache, messages }: ModelRequest): object {
  const { messages: marked = [], ...rest } = cache ?? ({} satisfies CacheMarks);
  const places = marked.map((id) => messages.findIndex((message) => message.id === id) - messages.length);
  return { ...rest, messages: places };
}

describe('the marks', () => {
  it('are those of tools, instructions, the end of the history and its end before', async () => {
    const { requests } = await outcomeOf();
    expect(requests.map(marksOf)).toEqual([
      { tools: true, instructions: true, messages: [-1] },
      { tools: true, instructions: true, messages: [-1, -3] },
      { tools: true, instructions: true, messages: [-1, -3] },
    ]);
    // Where one request ended, the next one is looked for.
    const [, second, third] = requests;
    expect(third?.cache?.messages?.[1]).toBe(second?.cache?.messages?.[0]);
  });

  it.each([
    [1, { messages: [-1] }],
    [2, { instructions: true, messages: [-1] }],
    [3, { tools: true, instructions: true, messages: [-1] }],
    [4, { tools: true, instructions: true, messages: [-1, -3] }],
    [9, { tools: true, instructions: true, messages: [-1, -3] }],
  ])('are as many as the provider takes: %d', async (cacheMarks, marks) => {
    const { requests } = await outcomeOf({ cacheMarks });
    expect(requests.map(marksOf).at(-1)).toEqual(marks);
  });

  it('are not spent on what is not there', async () => {
    const { requests } = await outcomeOf({ instructions: '', tools: [], steps: [done], cacheMarks: 2 });
    expect(requests.map(marksOf)).toEqual([{ messages: [-1] }]);
  });

  it('say how long is asked for', async () => {
    const { requests } = await outcomeOf({ options: { ttl: '1h' }, steps: [done] });
    expect(requests[0]?.cache?.ttl).toBe('1h');
  });

  it('are none where the provider takes none, and nothing is looked at', async () => {
    let step = 0;
    const clock = withInstructions(() => `Step ${(step += 1)}.`);
    const { requests, warnings } = await outcomeOf({ cacheMarks: 0, plugins: [clock] });
    expect(requests.every((request) => !('cache' in request))).toBe(true);
    expect(warnings).toEqual([]);
  });
});

describe('a warning', () => {
  it('is given once when the instructions change, with the way to who did it', async () => {
    let step = 0;
    const clock = withInstructions(() => `Step ${(step += 1)}.`);
    const { warnings } = await outcomeOf({ plugins: [clock] });
    expect(warnings).toEqual([
      'The instructions changed from step 1 to step 2, so test/scripted cannot use what it cached of them and of all that follows. To see which plugin changed them, run with --trace trace.jsonl and look at the layers in: shallot trace trace.jsonl',
    ]);
  });

  it('names the tools that came, went or changed', async () => {
    const changing = definePlugin({
      name: 'changing',
      beforeModel: (request, { step }) =>
        step === 1 ? undefined : { ...request, tools: [tool('look'), tool('pay')] },
    });
    const { warnings } = await outcomeOf({ plugins: [changing()] });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('The tools changed (count, pay) from step 1 to step 2');
  });

  it('is given when only their order changes', async () => {
    const turning = definePlugin({
      name: 'turning',
      beforeModel: (request, { step }) =>
        step === 1 ? undefined : { ...request, tools: request.tools?.toReversed() ?? [] },
    });
    const { warnings } = await outcomeOf({ plugins: [turning()] });
    expect(warnings[0]).toContain('The tools changed their order from step 1 to step 2');
  });

  it('is not given where nothing changes, where it is another model, or where it is switched off', async () => {
    expect((await outcomeOf()).warnings).toEqual([]);
    let step = 0;
    const clock = withInstructions(() => `Step ${(step += 1)}.`);
    expect((await outcomeOf({ plugins: [clock], options: { warn: false } })).warnings).toEqual([]);
    const other = scriptedModel([done], { id: 'test/other', cacheMarks: 4 });
    const switching = definePlugin({
      name: 'switching',
      priority: 30,
      wrapModelCall: (request, next, { run }) =>
        next(run.step === 1 ? request : { ...request, model: other, instructions: 'Other.' }),
    });
    expect((await outcomeOf({ steps: [look], plugins: [switching()] })).warnings).toEqual([]);
  });
});
