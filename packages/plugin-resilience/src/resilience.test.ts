import { createAgent } from '@shallot/core';
import { scriptedModel, testPlugin } from '@shallot/core/testing';
import { describe, expect, it } from 'vitest';

import resilience, { circuitBreaker, modelFallback, modelRetry, timeouts, toolRetry } from './index.ts';
import { agentWith, failing, soon } from './test-agent.ts';

const manifest = new URL('../package.json', import.meta.url);
await testPlugin(resilience, {
  options: {
    modelFallback: { models: [scriptedModel([], { id: 'test/other' })] },
    toolRetry: soon,
    circuitBreaker: {},
    timeouts: { modelMs: 60_000, toolMs: 60_000 },
  },
  manifest,
});

describe('one entry', () => {
  it('is a layer for each of its options, in their order, and retries by default', async () => {
    const models = [scriptedModel([], { id: 'test/other' })];
    const { agent } = await agentWith(
      [
        resilience({
          timeouts: { modelMs: 9 },
          circuitBreaker: {},
          toolRetry: {},
          modelFallback: { models },
        }),
      ],
      [],
    );
    const layersOf = (hook: 'wrapModelCall' | 'wrapToolCall'): string[] =>
      agent.layers()[hook].map(({ name, priority }) => `${name} ${priority}`);
    expect(layersOf('wrapModelCall')).toEqual([
      'model-fallback 38',
      'model-retry 36',
      'circuit-breaker 34',
      'timeouts 33',
    ]);
    expect(layersOf('wrapToolCall')).toEqual(['tool-retry 36', 'circuit-breaker 34']);
    const plain = await agentWith([resilience()], [failing(), { text: 'Hello.' }]);
    expect(plain.agent.layers().wrapModelCall.map(({ name }) => name)).toEqual(['model-retry']);
    const none = await agentWith([resilience({ modelRetry: false })], [failing()]);
    await expect(none.agent.run('Hi')).rejects.toMatchObject({ code: 'MODEL_OVERLOADED' });
  });

  it('is the same as a plugin for each, in code', async () => {
    const models = [scriptedModel([{ text: 'Hello.' }], { id: 'test/other' })];
    const plugins = [
      modelFallback({ models }),
      modelRetry(soon),
      toolRetry(),
      circuitBreaker(),
      timeouts({}),
    ];
    const { agent, model } = await agentWith(plugins, [failing(), failing(), failing()]);
    expect((await agent.run('Hi')).text).toBe('Hello.');
    expect(model.calls).toBe(3);
  });
});

it('a separate plugin stands where its entry places it', async () => {
  const retry = modelRetry();
  const agent = await createAgent({
    model: scriptedModel([]),
    plugins: [{ use: retry, priority: 80 }, timeouts({ modelMs: 9 })],
  });
  const layers = agent.layers().wrapModelCall.map(({ name, priority }) => `${name} ${priority}`);
  await agent.close();
  expect(layers).toEqual(['model-retry 80', 'timeouts 33']);
});

describe('options', () => {
  it.each<[string, object, string]>([
    ['no attempt', { modelRetry: { attempts: 0 } }, 'modelRetry.attempts: it is 0'],
    ['a delay of NaN', { modelRetry: { firstDelayMs: Number.NaN } }, 'firstDelayMs: it is NaN'],
    [
      'an endless time',
      { timeouts: { modelMs: Number.POSITIVE_INFINITY } },
      'timeouts.modelMs: it is Infinity',
    ],
    ['no model to fall back to', { modelFallback: { models: [] } }, 'modelFallback.models'],
    ['a misspelt layer', { modelRetires: {} }, 'did you mean "modelRetry"'],
    ['a tool that does not exist', { toolRetry: { tools: ['lok'] } }, 'toolRetry names the tool "lok"'],
    ['a time for one', { timeouts: { tools: { lok: 5 } } }, 'timeouts names the tool "lok"'],
    ['a model by name, without a config', { modelFallback: { models: ['a/b'] } }, 'a/b'],
  ])('are refused: %s', async (_, options, said) => {
    const agent = createAgent({ model: scriptedModel([]), plugins: [resilience(options as never)] });
    await expect(agent).rejects.toThrow(said);
  });
});
