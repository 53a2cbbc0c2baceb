import { createAgent, defineTool, memoryStore } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { expect, it } from 'vitest';

import limits, { type LimitsOptions } from './index.ts';

/** An agent whose run begins twenty children at once, each of which works four times. */
async function makeTree(options: LimitsOptions) {
  const work = defineTool({
    name: 'work',
    description: 'Works.',
    input: { type: 'object' },
    effect: 'read',
    execute: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return 'done';
    },
  });
  const delegate = defineTool({
    name: 'delegate',
    description: 'Delegates.',
    input: { type: 'object' },
    effect: 'idempotent',
    async execute(_, { child }) {
      const steps = Array.from({ length: 4 }, () => ({ toolCalls: [{ name: 'work' }], usage }));
      const model = scriptedModel([...steps, { text: 'worked', usage }]);
      return (await child({ agent: { name: 'worker', model }, prompt: 'Work.' })).text;
    },
  });
  const usage = { input: 9, output: 1, total: 10 };
  const toolCalls = Array.from({ length: 20 }, () => ({ name: 'delegate' }));
  const store = memoryStore();
  const agent = await createAgent({
    model: scriptedModel([
      { toolCalls, usage },
      { text: 'Done.', usage },
    ]),
    tools: [work, delegate],
    plugins: [limits(options)],
    toolConcurrency: 8,
    store,
    log: 'silent',
  });
  return { agent, store };
}

it('the calls of children count with those of their root', async () => {
  const { agent } = await makeTree({ modelCalls: { run: 1000 }, toolCalls: { run: 1000 }, warnAt: false });
  const { usage } = await agent.run('Go', { sessionId: 's' });
  const counted = (await agent.session('s'))?.state['limits'];
  expect(usage).toMatchObject({ modelCalls: 102, total: 1020 });
  expect(counted).toBeUndefined();
});

it('a limit of the root holds for a tree of twenty children, but for the calls in flight', async () => {
  const { agent } = await makeTree({ modelCalls: { run: 30 }, warnAt: false });
  const { usage, stopReason } = await agent.run('Go', { sessionId: 's' });
  expect(usage.modelCalls).toBeGreaterThanOrEqual(30);
  expect(usage.modelCalls).toBeLessThanOrEqual(30 + 8);
  expect(stopReason).toBe('limit');
});

it('a limit of the session counts the children of all its runs', async () => {
  const { agent, store } = await makeTree({ toolCalls: { session: 50 }, warnAt: false });
  await agent.run('Go', { sessionId: 's' });
  const { value } = (await store.load('s'))?.state['limits']?.['session'] ?? {};
  expect(value).toMatchObject({ used: { toolCalls: 50 } });
});
