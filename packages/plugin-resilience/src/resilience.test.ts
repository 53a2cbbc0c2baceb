import { createAgent, defineTool, ShallotError } from '@shallot/core';
import { scriptedModel, testPlugin } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { agentWith, failing, soon } from '../test/agent.ts';
import resilience, { circuitBreaker, modelFallback, modelRetry, timeouts, toolRetry } from './index.ts';

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
    const { agent, model } = await agentWith(
      plugins,
      Array.from({ length: 5 }, () => failing()),
    );
    expect((await agent.run('Hi')).text).toBe('Hello.');
    expect(model.calls).toBe(5);
  });
});

describe('while the circuit of a model is open', () => {
  const options = {
    modelRetry: { attempts: 4, firstDelayMs: 10 },
    circuitBreaker: { failures: 5, openMs: 60_000 },
  };

  it('each run goes to the fallback at once', async () => {
    const down = Array.from({ length: 5 }, () => failing());
    const other = scriptedModel(
      Array.from({ length: 4 }, () => ({ text: 'Good.' })),
      { id: 'test/other' },
    );
    const { agent, model } = await agentWith(
      [resilience({ ...options, modelFallback: { models: [other] } })],
      down,
    );
    const startedAt = performance.now();
    for (let run = 0; run < 4; run += 1) expect((await agent.run('Hi')).text).toBe('Good.');
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect([model.calls, other.calls]).toEqual([5, 4]);
  });

  it('a run without a fallback fails at once', async () => {
    const { agent, model } = await agentWith(
      [resilience(options)],
      Array.from({ length: 5 }, () => failing()),
    );
    const startedAt = performance.now();
    const codes: unknown[] = [];
    for (let run = 0; run < 3; run += 1)
      codes.push(await agent.run('Hi').catch((error: unknown) => (error as { code: string }).code));
    expect(performance.now() - startedAt).toBeLessThan(5000);
    // The second run's first attempt opens it: its error is what the run fails with.
    expect(codes).toEqual(['MODEL_OVERLOADED', 'MODEL_OVERLOADED', 'resilience/CIRCUIT_OPEN']);
    expect(model.calls).toBe(5);
  });

  it('another endpoint of the same name is asked, and its circuit is closed', async () => {
    const other = scriptedModel([{ text: 'Good.' }, { text: 'Good.' }]);
    const { agent } = await agentWith(
      [
        resilience({
          modelRetry: false,
          circuitBreaker: { failures: 1 },
          modelFallback: { models: [other] },
        }),
      ],
      [failing()],
    );
    for (let run = 0; run < 2; run += 1) expect((await agent.run('Hi')).text).toBe('Good.');
    expect(other.calls).toBe(2);
  });

  it('an error that is thrown again later is retried again', async () => {
    const same = failing();
    const steps = [same, same, { text: 'Good.' }];
    const { agent } = await agentWith([resilience({ circuitBreaker: { failures: 1 } })], [same]);
    await expect(agent.run('Hi')).rejects.toMatchObject({ code: 'MODEL_OVERLOADED' });
    const other = await agentWith([resilience({ modelRetry: soon })], steps);
    expect((await other.agent.run('Hi')).text).toBe('Good.');
  });

  it('a function that asks for a retry is not obeyed', async () => {
    const { agent, model } = await agentWith(
      [resilience({ modelRetry: { ...soon, when: () => true }, circuitBreaker: { failures: 1 } })],
      [failing()],
    );
    await expect(agent.run('Hi')).rejects.toMatchObject({ code: 'MODEL_OVERLOADED' });
    await expect(agent.run('Hi')).rejects.toMatchObject({ code: 'resilience/CIRCUIT_OPEN' });
    expect(model.calls).toBe(1);
  });

  it('a tool call is answered at once', async () => {
    let executed = 0;
    const shop = defineTool({
      name: 'shop',
      description: 'Sells.',
      input: { type: 'object' },
      effect: 'read',
      execute() {
        executed += 1;
        throw new ShallotError('shop/BUSY', { message: 'busy', transient: true });
      },
    });
    const call = { toolCalls: [{ name: 'shop' }] };
    const { agent } = await agentWith(
      [resilience({ toolRetry: { firstDelayMs: 10 }, circuitBreaker: { failures: 2, openMs: 60_000 } })],
      [call, call, { text: 'Done.' }],
      { tools: [shop] },
    );
    const startedAt = performance.now();
    await agent.run('Go');
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(executed).toBe(2);
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
