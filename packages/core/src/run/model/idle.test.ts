import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { collectEvents } from '../../../../testing/src/collect-events.ts';
import { scriptedModel, type ScriptedStep } from '../../../../testing/src/scripted-model.ts';
import { isTransient } from '../../base/is-transient.ts';
import type { AgentOptions } from '../../contract/agent-options.ts';
import { definePlugin } from '../../contract/define-plugin.ts';
import type { ChatModel } from '../../contract/model.ts';
import { createAgent } from '../../create-agent.ts';

const stalls: ScriptedStep = { chunks: ['Well, '], stall: true };
const ignores: ScriptedStep = { chunks: ['Well, '], stall: 'ignore-signal' };

async function failure(
  steps: readonly ScriptedStep[],
  options: Partial<AgentOptions>,
  stream: boolean,
): Promise<unknown> {
  await using agent = await createAgent({ log: 'silent', model: scriptedModel(steps), ...options });
  if (stream) return (await collectEvents(agent.stream('hello'))).error;
  return await agent.run('hello').catch((error: unknown) => error);
}

describe('a model that goes silent', () => {
  it.each([
    ['stalls', stalls],
    ['stalls and ignores its signal', ignores],
  ])('while it streams (%s) is an error after modelIdleMs, and one that may pass', async (_, step) => {
    const error = await failure([step], { modelIdleMs: 40 }, true);
    expect(error).toMatchObject({ code: 'MODEL_IDLE', result: { stopReason: 'model-error' } });
    expect(isTransient(error)).toBe(true);
  });

  it.each([
    ['stalls', stalls],
    ['stalls and ignores its signal', ignores],
  ])('with its one answer (%s) is an error after modelTimeoutMs', async (_, step) => {
    const error = await failure([step], { modelTimeoutMs: 40 }, false);
    expect(error).toMatchObject({ code: 'MODEL_IDLE', transient: true });
  });

  it.each([
    [
      'without a chunk',
      true,
      120_000,
      'sent no chunk and no sign of life for 120000 ms. Try again, or raise modelIdleMs.',
    ],
    [
      'without an answer',
      false,
      600_000,
      'returned no answer for 600000 ms. Try again, or raise modelTimeoutMs.',
    ],
  ])('may be so for minutes %s, unless it is said', async (_, stream, ms, words) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const model = scriptedModel([{ chunks: [], stall: true }]);
    let isOver = false;
    const failed = failure([], { model }, stream).finally(() => (isOver = true));
    await expect.poll(() => model.calls).toBe(1);
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(isOver).toBe(false);
    // It is looked at twenty times in this time, from when somebody else's time may have begun.
    await vi.advanceTimersByTimeAsync(ms / 20 + 1);
    expect(await failed).toMatchObject({
      code: 'MODEL_IDLE',
      message: expect.stringContaining(words) as string,
    });
  });

  /** A model that calls `alive` every so often, and answers when it has lived for long enough. */
  function living(everyMs: number, answersAfterMs: number): ChatModel {
    return {
      id: 'test/living',
      async generate(_, { alive, signal, emit }) {
        for (let ms = 0; ms < answersAfterMs; ms += everyMs) {
          await vi.advanceTimersByTimeAsync(everyMs);
          signal.throwIfAborted();
          alive?.();
        }
        await emit({ type: 'text-delta', index: 0, text: 'Well.' });
        return { message: { role: 'assistant', content: [{ type: 'text', text: 'Well.' }] }, finish: 'stop' };
      },
    };
  }

  it('is not one that shows signs of life, until modelTimeoutMs is over', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const limits = { modelIdleMs: 100, modelTimeoutMs: 1000 };
    const patient = await createAgent({ model: living(50, 950), ...limits });
    onTestFinished(() => patient.close());
    expect((await collectEvents(patient.stream('hello'))).text).toBe('Well.');
    expect(await failure([], { model: living(50, 1100), ...limits }, true)).toMatchObject({
      code: 'MODEL_IDLE',
      message: expect.stringContaining(
        'sent signs of life, but no chunk for 1000 ms. Try again, or raise modelTimeoutMs.',
      ) as string,
    });
    expect(await failure([], { model: living(150, 950), ...limits }, true)).toMatchObject({
      message: expect.stringContaining('no sign of life for 100 ms') as string,
    });
  });

  it('waits for signs of life at least as long as for nothing at all', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const limits = { modelIdleMs: 1000, modelTimeoutMs: 100 };
    const patient = await createAgent({ model: living(50, 950), ...limits });
    onTestFinished(() => patient.close());
    expect((await collectEvents(patient.stream('hello'))).text).toBe('Well.');
    // In one piece, nothing counts but the answer.
    expect(await failure([], { model: living(50, 950), ...limits }, false)).toMatchObject({
      message: expect.stringContaining('returned no answer for 100 ms') as string,
    });
  });

  it('can be tried again, and its chunks are dropped', async () => {
    const retry = definePlugin({
      name: 'retry',
      async wrapModelCall(request, next) {
        try {
          return await next(request);
        } catch (error) {
          if (!isTransient(error)) throw error;
          return next(request);
        }
      },
    })();
    const model = scriptedModel([ignores, { text: 'Here I am.' }]);
    await using agent = await createAgent({ model, modelIdleMs: 40, plugins: [retry] });
    const { text, events } = await collectEvents(agent.stream('hello'));
    expect(text).toBe('Here I am.');
    expect(events.filter(({ type }) => type === 'restart')).toHaveLength(1);
  });

  it('has its signal aborted, with the reason', async () => {
    let reason: unknown;
    const model: ChatModel = {
      id: 'test/silent',
      generate: (_, { signal }) =>
        new Promise(() => signal.addEventListener('abort', () => void (reason = signal.reason))),
    };
    await failure([], { model, modelTimeoutMs: 20 }, false);
    expect(reason).toMatchObject({ code: 'MODEL_IDLE' });
  });
});

describe('what is no silence', () => {
  it('is the time after the answer, in which nothing keeps the process alive', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;
    const before = timers();
    const model = scriptedModel([{ text: 'One.' }, { text: 'Two.' }]);
    const agent = await createAgent({ model, modelIdleMs: 1000, modelTimeoutMs: 1000 });
    await agent.run('hello');
    await collectEvents(agent.stream('hello'));
    expect(timers()).toBe(before);
    await agent.close();
  });

  it('is an answer that takes long but keeps coming', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const model: ChatModel = {
      id: 'test/slow',
      async generate(_, { emit }) {
        for (let index = 0; index < 12; index += 1) {
          await vi.advanceTimersByTimeAsync(40);
          await emit({ type: 'text-delta', index: 0, text: '.' });
        }
        return {
          message: { role: 'assistant', content: [{ type: 'text', text: '.'.repeat(12) }] },
          finish: 'stop',
        };
      },
    };
    await using agent = await createAgent({ model, modelIdleMs: 60 });
    expect((await collectEvents(agent.stream('hello'))).text).toBe('............');
  });

  it('is the time that the consumer takes', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const model = scriptedModel([{ chunks: Array.from({ length: 600 }, () => 'word ') }]);
    await using agent = await createAgent({ model, modelIdleMs: 30 });
    let chunks = 0;
    for await (const event of agent.stream('hello')) {
      if (event.type !== 'text-delta') continue;
      chunks += 1;
      // Once the queue is full, the model waits for this.
      if (chunks === 1) await vi.advanceTimersByTimeAsync(120);
    }
    expect(chunks).toBe(600);
  });

  it('is the time that a layer takes over a chunk', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const slow = definePlugin({
      name: 'slow',
      wrapModelCall: (request, next, { emit }) =>
        next(request, {
          emit:
            emit &&
            (async (chunk) => {
              await vi.advanceTimersByTimeAsync(80);
              await emit(chunk);
            }),
        }),
    })();
    const model = scriptedModel([{ text: 'One.' }]);
    await using agent = await createAgent({ model, modelIdleMs: 30, plugins: [slow] });
    expect((await collectEvents(agent.stream('hello'))).text).toBe('One.');
  });

  it('is anything at all with Infinity', async () => {
    const model: ChatModel = {
      id: 'test/slow',
      async generate() {
        await sleep(50);
        return {
          message: { role: 'assistant', content: [{ type: 'text', text: 'At last.' }] },
          finish: 'stop',
        };
      },
    };
    const options = {
      model,
      modelIdleMs: Number.POSITIVE_INFINITY,
      modelTimeoutMs: Number.POSITIVE_INFINITY,
    };
    await using agent = await createAgent(options);
    expect((await agent.run('hello')).text).toBe('At last.');
    expect((await collectEvents(agent.stream('hello'))).text).toBe('At last.');
  });
});
