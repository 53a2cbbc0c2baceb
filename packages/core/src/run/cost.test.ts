import { expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { ChatModel } from '../contract/model.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';

const usage = { input: 1_000_000, output: 100_000, total: 1_100_000 };
const prices = { 'a/large': { input: 3, output: 15 } };
const model = (id: string, metadata = {}): ChatModel => ({
  id,
  generate: () =>
    Promise.resolve({
      message: { role: 'assistant', content: [{ type: 'text', text: 'Calm.' }] },
      finish: 'stop',
      usage,
      metadata,
    }),
});

it('the cost of a run is that of its calls, and a session adds up that of its runs', async () => {
  const store = memoryStore();
  await using agent = await createAgent({ model: model('a/large'), prices, store, log: 'silent' });
  const { usage: used } = await agent.run('Well?', { sessionId: 's' });
  expect(used).toMatchObject({ cost: 4.5, modelCalls: 1 });
  expect(used).not.toHaveProperty('unpriced');
  await agent.run('And now?', { sessionId: 's' });
  expect((await agent.session('s'))?.usage.cost).toBeCloseTo(9, 9);
});

it('a call without a price is counted as one, and one of a plugin is in the cost', async () => {
  const plugin = definePlugin({
    name: 'other',
    setup: ({ hooks, generate }) => {
      hooks.beforeModel.tapPromise('ask', async (request, run) => {
        await generate(run, { messages: request.messages, model: model('a/unknown') }, { purpose: 'title' });
      });
    },
  });
  await using agent = await createAgent({
    model: model('a/large'),
    prices,
    plugins: [plugin()],
    log: 'silent',
  });
  expect((await agent.run('Well?')).usage).toMatchObject({ cost: 4.5, unpriced: 1, modelCalls: 2 });
});

it('without prices, no cost is counted', async () => {
  await using agent = await createAgent({ model: scriptedModel([{ text: 'Calm.', usage }]), log: 'silent' });
  expect((await agent.run('Well?')).usage).toEqual({ ...usage, modelCalls: 1 });
});

it('a call costs what the service tier costs that served it', async () => {
  const flex = { 'a/large': { input: 3, output: 15, serviceTiers: { flex: { input: 1, output: 5 } } } };
  await using agent = await createAgent({
    model: model('a/large', { serviceTier: 'flex' }),
    prices: flex,
    log: 'silent',
  });
  expect((await agent.run('Well?')).usage.cost).toBeCloseTo(1.5, 9);
});

it('prices that are none are refused', async () => {
  const options = { model: model('a/large'), prices: { 'a/large': { input: -1 } } } as never;
  await expect(createAgent(options)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
});

it('a result has the facts of the latest response, and nothing else of its metadata', async () => {
  const metadata = {
    id: 'resp_1',
    model: 'large-2026',
    serviceTier: 'flex',
    rateLimits: { requests: { limit: 100, remaining: 3, resetsAt: 1000, secret: 'x' }, other: 'y' },
    provider: { acme: { secret: 'sk-1' } },
    finish: 'stop',
  };
  await using agent = await createAgent({ model: model('a/large', metadata), log: 'silent' });
  expect((await agent.run('Well?')).response).toEqual({
    id: 'resp_1',
    model: 'large-2026',
    serviceTier: 'flex',
    rateLimits: { requests: { limit: 100, remaining: 3, resetsAt: 1000 } },
  });
});
