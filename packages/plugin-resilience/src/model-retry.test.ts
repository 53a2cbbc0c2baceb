import { definePlugin } from '@shallot/core';
import { timeLimitKey } from '@shallot/core/plugin';
import { collectEvents } from '@shallot/testing';
import { describe, expect, it, vi } from 'vitest';

import { agentWith, failing, soon } from '../test/agent.ts';
import { delayAfter } from './back-off.ts';
import { modelRetry, type ModelRetryOptions } from './index.ts';

const hello = { text: 'Hello.' };

describe('a model call', () => {
  it('is retried after a transient failure, up to the number of attempts', async () => {
    const { agent, model } = await agentWith(
      [modelRetry(soon)],
      [failing(), failing('MODEL_NETWORK'), hello],
    );
    expect((await agent.run('Hi')).text).toBe('Hello.');
    expect(model.calls).toBe(3);
    const lasting = await agentWith(
      [modelRetry(soon)],
      [failing(), failing(), failing(), failing(), failing('MODEL_RATE_LIMITED')],
    );
    await expect(lasting.agent.run('Hi')).rejects.toMatchObject({ code: 'MODEL_RATE_LIMITED' });
  });

  it('is not retried after any other failure', async () => {
    const { agent, model } = await agentWith([modelRetry(soon)], [failing('MODEL_AUTH'), hello]);
    await expect(agent.run('Hi')).rejects.toMatchObject({ code: 'MODEL_AUTH' });
    expect(model.calls).toBe(1);
  });

  it('of a plugin is retried as well', async () => {
    const judges = definePlugin({
      name: 'judges',
      setup({ hooks, generate }) {
        hooks.beforeAgent.tap('judge', async (run) => {
          await generate(run, { messages: run.newMessages }, { purpose: 'judge' });
        });
      },
    })();
    const { agent, model } = await agentWith([modelRetry(soon), judges], [failing(), hello, hello]);
    expect((await agent.run('Hi')).text).toBe('Hello.');
    expect(model.calls).toBe(3);
  });

  it('waits as long as the error says, unless that is longer than the bound', () => {
    const backOff = { attempts: 3, firstDelayMs: 100, maxDelayMs: 1000, maxRetryAfterMs: 60_000 };
    const now = vi.spyOn(Date, 'now').mockReturnValue(1_000_000);
    const after = (retryAt: number): number | undefined => {
      const step = failing('MODEL_RATE_LIMITED', retryAt);
      return delayAfter(1, 'error' in step ? step.error : undefined, backOff);
    };
    try {
      const spread = Array.from({ length: 100 }, () => after(1_005_000) ?? 0);
      expect(Math.min(...spread)).toBeGreaterThanOrEqual(5000);
      expect(Math.max(...spread)).toBeLessThanOrEqual(5050);
      expect(new Set(spread).size).toBeGreaterThan(50);
      expect(after(1_000_000 + 365 * 86_400_000)).toBeUndefined();
      for (const useless of [Number.NaN, 5, 999_999]) {
        expect(after(useless)).toBeGreaterThanOrEqual(50);
        expect(after(useless)).toBeLessThanOrEqual(100);
      }
    } finally {
      now.mockRestore();
    }
  });

  it('waits longer each time, up to a bound, half of it at random', () => {
    const backOff = { attempts: 99, firstDelayMs: 100, maxDelayMs: 1000, maxRetryAfterMs: 0 };
    for (const [attempt, longest] of [
      [1, 100],
      [2, 200],
      [9, 1000],
    ] as const) {
      const delays = Array.from({ length: 500 }, () => delayAfter(attempt, undefined, backOff) ?? 0);
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(longest / 2);
      expect(Math.max(...delays)).toBeLessThanOrEqual(longest);
      expect(new Set(delays).size).toBeGreaterThan(400);
    }
    expect(delayAfter(99, undefined, backOff)).toBeUndefined();
  });

  it('does not wait for longer than a limit of time leaves', async () => {
    const strict = definePlugin({
      name: 'strict',
      setup: ({ id, provide }) => provide(timeLimitKey(id), { left: () => 500 }),
    })();
    const { agent, model } = await agentWith(
      [strict, modelRetry({ firstDelayMs: 10 })],
      [failing(), failing('MODEL_RATE_LIMITED', Date.now() + 30_000), hello],
    );
    const startedAt = performance.now();
    await expect(agent.run('Hi')).rejects.toMatchObject({ code: 'MODEL_RATE_LIMITED' });
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(model.calls).toBe(2);
  });

  it('is given up at once when the run is aborted during the wait', async () => {
    const { agent } = await agentWith(
      [modelRetry({ firstDelayMs: 600_000, maxDelayMs: 600_000 })],
      [failing()],
    );
    const controller = new AbortController();
    const stream = agent.stream('Hi', { signal: controller.signal });
    const reading = (async () => {
      for await (const event of stream) if (event.type === 'plugin') controller.abort();
    })();
    await expect(reading).rejects.toMatchObject({ code: 'RUN_ABORTED' });
  });
});

describe('a response', () => {
  const cases: [string, NonNullable<ModelRetryOptions['responses']>, object][] = [
    ['empty', ['empty'], { text: ' ' }],
    ['cut off', ['cut-off'], { text: 'Hel', finish: 'length' }],
    ['refused', ['refusal'], { text: 'No.', finish: 'content-filter' }],
  ];
  it.each(cases)('that is %s is asked for again if that is named', async (_, responses, step) => {
    const { agent, model } = await agentWith([modelRetry({ ...soon, responses })], [step, hello]);
    expect((await agent.run('Hi')).text).toBe('Hello.');
    expect(model.calls).toBe(2);
  });

  it('is judged by a function, in code', async () => {
    const when: ModelRetryOptions['when'] = ({ response }) =>
      response?.message.content.some((part) => part.type === 'text' && part.text.includes('bee'));
    const { agent } = await agentWith([modelRetry({ ...soon, when })], [{ text: 'A bee.' }, hello]);
    expect((await agent.run('Hi')).text).toBe('Hello.');
  });

  it('is not judged by a function that fails: the plugin is named', async () => {
    const when = (): never => {
      throw new Error('no idea');
    };
    const { agent } = await agentWith([modelRetry({ when })], [hello]);
    await expect(agent.run('Hi')).rejects.toMatchObject({ plugin: 'model-retry', hook: 'wrapModelCall' });
  });
});

describe('a function that judges', () => {
  it('and never settles ends the run in time, by name', async () => {
    const when = (): Promise<never> => new Promise(() => {});
    const { agent } = await agentWith([modelRetry({ when })], [hello], { hookTimeoutMs: 20 });
    await expect(agent.run('Hi')).rejects.toMatchObject({
      code: 'HOOK_TIMEOUT',
      plugin: 'model-retry',
    });
  });

  it.each(['yes', 1, null, {}])('and returns %j keeps the default', async (junk) => {
    const when = (() => junk) as unknown as NonNullable<ModelRetryOptions['when']>;
    const { agent, model } = await agentWith([modelRetry({ ...soon, when })], [failing(), hello]);
    expect((await agent.run('Hi')).text).toBe('Hello.');
    expect(model.calls).toBe(2);
    const lasting = await agentWith([modelRetry({ ...soon, when })], [failing('MODEL_AUTH')]);
    await expect(lasting.agent.run('Hi')).rejects.toMatchObject({ code: 'MODEL_AUTH' });
  });
});

describe('a stream', () => {
  const broken = { chunks: ['Hal'], end: 'broken' } as const;
  it.each(['live', 'hold'] as const)('ends with the attempt that counts: %s', async (stream) => {
    const { agent } = await agentWith([modelRetry({ ...soon, stream })], [broken, hello]);
    const { events } = await collectEvents(agent.stream('Hi'));
    const shown = events.flatMap((event) => {
      if (event.type === 'restart') return [' | '];
      return event.type === 'text-delta' ? [event.text] : [];
    });
    expect(shown.join('')).toBe(stream === 'live' ? 'Hal | Hello.' : 'Hello.');
  });
});
