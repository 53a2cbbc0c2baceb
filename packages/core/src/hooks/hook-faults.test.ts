import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';

import { assertValidRequest } from '../../../testing/src/assert-valid-request.ts';
import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import { hookTrace } from '../../../testing/src/trace-hooks.ts';
import { isShallotError } from '../base/errors.ts';
import { hookNames, type HookName } from '../base/hook-names.ts';
import type { AgentOptions } from '../contract/agent-options.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { ModelNext, Run } from '../contract/hooks.ts';
import type { ModelRequest, ModelResponse } from '../contract/model.ts';
import type { Plugin, PluginSetup } from '../contract/plugin.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeAll(() => void process.on('unhandledRejection', note));
afterAll(() => void process.off('unhandledRejection', note));

// A rejection is called unhandled once the microtasks are through.
afterEach(async () => {
  await sleep(5);
  if (unhandled.length > 0) throw new AggregateError(unhandled.splice(0), 'rejections were left behind');
});

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  execute: () => 'an onion',
});
const steps: readonly ScriptedStep[] = [{ toolCalls: [{ name: 'look' }] }, { text: 'An onion.' }];
const answer: ModelResponse = {
  message: { role: 'assistant', content: [{ type: 'text', text: 'x' }] },
  finish: 'stop',
};

/** Runs with a plugin that does something wrong; the session must be good for another run without it. */
async function run(bad: Plugin, options: Partial<AgentOptions> = {}) {
  const trace = hookTrace();
  const model = scriptedModel(steps);
  await using agent = await createAgent({
    log: 'silent',
    model,
    tools: [look],
    ...options,
    plugins: [trace.plugin('a', 80), bad, trace.plugin('b', 20)],
  });
  let error: unknown;
  const result = await agent.run('hello', { sessionId: 's' }).catch((thrown: unknown) => {
    error = thrown;
    return isShallotError(thrown) ? thrown.result : undefined;
  });
  await using other = await agent.fork({ model: scriptedModel([{ text: 'Still here.' }]), plugins: [] });
  expect((await other.run('And now?', { sessionId: 's', abandon: true })).text).toBe('Still here.');
  const messages = (await agent.session('s'))?.messages ?? [];
  assertValidRequest({ model, instructions: '', settings: {}, messages });
  return { result, error, trace: trace.lines };
}

type AnyTap = (name: string, fn: (...args: never[]) => unknown) => void;
const tapping = (hook: HookName, fn: (...args: never[]) => unknown): Plugin =>
  definePlugin({ name: 'bad', setup: ({ hooks }) => (hooks[hook].tap as AnyTap)('bad', fn) })();

const wrapping = (fn: (request: ModelRequest, next: ModelNext) => unknown): Plugin =>
  definePlugin({ name: 'bad', setup: ({ hooks }) => (hooks.wrapModelCall.tap as AnyTap)('bad', fn) })();

describe('a tap without a name', () => {
  it.each([
    ['null', null],
    ['undefined', undefined],
    ['a number', 5],
    ['a function', function named() {}],
    ['no name', {}],
    ['a blank name', { name: ' ' }],
  ])('is refused with what to pass: %s', async (_, options) => {
    const setup = ({ hooks }: PluginSetup): void => hooks.beforeModel.tap(options as never, () => undefined);
    const made = createAgent({
      log: 'silent',
      model: scriptedModel([]),
      plugins: [definePlugin({ name: 'bad', setup })()],
    });
    await expect(made).rejects.toMatchObject({
      plugin: 'bad',
      message: expect.stringContaining("pass a name, or { name: '…' }") as unknown,
    });
  });
});

describe('a hook that fails', () => {
  for (const hook of hookNames) {
    it(`(${hook}) is named; the original is the cause; the rest of the run's end goes its way`, async () => {
      const failure = new Error('broken');
      const { result, error, trace } = await run(
        tapping(hook, async () => {
          await sleep(1);
          throw failure;
        }),
      );
      const named = hook === 'afterAgent' ? result?.errors[0] : error;
      expect(named).toMatchObject({ code: 'PLUGIN_FAILED', plugin: 'bad', hook });
      expect(named).toHaveProperty('cause', failure);
      expect(trace.at(-1)).toMatch(/^a afterAgent/);
    });
  }

  it('with an error of a plugin keeps its code, and what else it says', async () => {
    const { ShallotError } = await import('../base/errors.ts');
    const failure = new ShallotError('audit/NO_DISK', { message: 'no disk', transient: true, retryAt: 42 });
    const { error } = await run(tapping('beforeModel', () => Promise.reject(failure)));
    expect(error).toMatchObject({
      code: 'audit/NO_DISK',
      plugin: 'bad',
      hook: 'beforeModel',
      transient: true,
      retryAt: 42,
      cause: failure,
    });
  });

  it('in a wrap gives layers further out the very error', async () => {
    const failure = new Error('broken');
    const seen: unknown[] = [];
    const bad = definePlugin({
      name: 'bad',
      setup({ hooks }) {
        hooks.wrapModelCall.tap('outer', (request, next) =>
          next(request).catch((error: unknown) => {
            seen.push(error);
            throw error;
          }),
        );
        hooks.wrapModelCall.tap('inner', () => Promise.reject(failure));
      },
    })();
    await run(bad);
    expect(seen).toEqual([failure]);
    expect(seen[0]).toBe(failure);
  });

  it('is not blamed for what the model throws, whatever that is', async () => {
    for (const thrown of [new Error('overloaded'), 'overloaded']) {
      const through = wrapping(async (request, next) => await next(request));
      const model = scriptedModel([{ error: thrown }]);
      const { error, result } = await run(through, { model });
      expect(error).toMatchObject({ code: 'MODEL_FAILED', plugin: undefined, cause: thrown });
      expect(result?.stopReason).toBe('model-error');
    }
  });
});

describe('a hook that never settles', () => {
  it.each(['beforeAgent', 'beforeModel', 'afterModel', 'afterAgent'] as const)(
    "(%s) is given up in time, and what it rejects with later is nobody's loss",
    async (hook) => {
      const muchLater = Promise.withResolvers<never>();
      const { result, error } = await run(
        tapping(hook, () => muchLater.promise),
        { hookTimeoutMs: 15 },
      );
      const named = hook === 'afterAgent' ? result?.errors[0] : error;
      expect(named).toMatchObject({ code: 'HOOK_TIMEOUT', plugin: 'bad', hook });
      muchLater.reject(new Error('much later'));
    },
  );

  it('is not what waits for once: that time does not count', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const bad = tapping('beforeModel', async (_: never, current: Run) => {
      await current.once('slow', () => vi.advanceTimersByTimeAsync(40).then(() => 1));
    });
    expect((await run(bad, { hookTimeoutMs: 20 })).result?.outcome).toBe('completed');
  });
});

describe('a layer that leaves something behind', () => {
  it.each([
    ['a next that fails', (request: ModelRequest, next: ModelNext) => (void next(request), answer)],
    [
      'a next that fails, while it throws itself',
      (request: ModelRequest, next: ModelNext) => {
        void next(request);
        throw new Error('mine');
      },
    ],
    [
      'several, some of them parallel',
      async (request: ModelRequest, next: ModelNext) => {
        void next(request, { parallel: true });
        void next(request, { parallel: true });
        await sleep(1);
        void next(request);
        return answer;
      },
    ],
    ['a next with junk', (_: ModelRequest, next: ModelNext) => (void next(undefined as never), answer)],
    [
      'a next that comes too late',
      (request: ModelRequest, next: ModelNext) => {
        setTimeout(() => void next(request), 3);
        return answer;
      },
    ],
  ])('(%s) leaves no rejection', async (_, wrap) => {
    const failing = Array.from({ length: 5 }, () => ({ error: new Error('no') }));
    const { result } = await run(wrapping(wrap), { model: scriptedModel(failing) });
    expect(result?.outcome).toMatch(/completed|failed/);
    await sleep(5);
  });

  it.each(['interrupt', 'once', 'generate'] as const)(
    '(what %s gave, not awaited) leaves no rejection',
    async (what) => {
      const bad = definePlugin({
        name: 'bad',
        setup: ({ hooks, generate }) =>
          hooks.beforeModel.tap('bad', (request, current) => {
            if (what === 'interrupt')
              void current.interrupt({ kind: 'q', payload: 1, answer: { type: 'string' } });
            if (what === 'once') void current.once('x', () => Promise.reject(new Error('no')));
            if (what === 'generate') void generate(current, request, { purpose: 'test' });
          }),
      })();
      const failing = Array.from({ length: 5 }, () => ({ error: new Error('no') }));
      const { result } = await run(bad, { model: scriptedModel(failing) });
      expect(result?.outcome).toMatch(/interrupted|failed/);
    },
  );

  it('like a question of a tool that has settled does not pause the run', async () => {
    const tool = defineTool({
      name: 'look',
      description: 'Asks too late.',
      input: { type: 'object' },
      execute(_, { interrupt, once }) {
        setTimeout(() => {
          void interrupt({ kind: 'q', payload: 1, answer: { type: 'string' } });
          void once('x', () => 1);
        }, 5);
        return 'an onion';
      },
    });
    const { result } = await run(
      tapping('beforeModel', () => sleep(15)),
      { tools: [tool] },
    );
    expect(result).toMatchObject({ outcome: 'completed', text: 'An onion.', interrupts: [] });
  });

  it('as a next too late is named in the errors of the run that is still on', async () => {
    const bad = definePlugin({
      name: 'bad',
      wrapModelCall(request, next) {
        setTimeout(() => void next(request), 3);
        return answer;
      },
      afterModel: () => sleep(15),
    })();
    const { result } = await run(bad);
    expect(result).toMatchObject({ outcome: 'completed', errors: [{ code: 'NEXT_LATE', plugin: 'bad' }] });
  });
});

describe('what a plugin was given', () => {
  const mutations: Record<string, (plugin: PluginSetup) => void> = {
    'the messages of a request': ({ hooks }) =>
      hooks.beforeModel.tap('bad', (request) => void (request.messages as unknown[]).pop()),
    'a message': ({ hooks }) =>
      hooks.wrapModelCall.tap('bad', (request, next) => {
        Object.assign(request.messages[0] ?? {}, { role: 'system' });
        return next(request);
      }),
    'a request': ({ hooks }) =>
      hooks.beforeModel.tap('bad', (request) => void Object.assign(request, { instructions: 'Lie.' })),
    'the messages of the run': ({ hooks }) =>
      hooks.beforeModel.tap('bad', (_, current) => void (current.messages as unknown[]).push({})),
    'a response': ({ hooks }) =>
      hooks.wrapModelCall.tap('bad', async (request, next) =>
        Object.assign(await next(request), { finish: 'length' }),
      ),
    'the parts of an answer': ({ hooks }) =>
      hooks.afterModel.tap('bad', ({ message }) => void (message.content as unknown[]).pop()),
    'a tool call': ({ hooks }) =>
      hooks.wrapToolCall.tap('bad', (call, next) => next(Object.assign(call, { name: 'other' }))),
    'the content of a result': ({ hooks }) =>
      hooks.wrapToolCall.tap('bad', async (call, next) => {
        const result = await next(call);
        (result.content as unknown[]).pop();
        return result;
      }),
    'the input of a tool call': ({ hooks }) =>
      hooks.wrapToolCall.tap('bad', (call, next) => {
        Object.assign(call.input as object, { at: 'that' });
        return next(call);
      }),
  };
  for (const [what, setup] of Object.entries(mutations)) {
    it(`cannot be changed: ${what}`, async () => {
      const { error } = await run(definePlugin({ name: 'bad', setup })());
      expect(error).toMatchObject({
        code: 'PLUGIN_FAILED',
        plugin: 'bad',
        cause: expect.any(TypeError) as TypeError,
      });
    });
  }
});

describe('input that is misspelt', () => {
  const model = scriptedModel([]);

  it('is refused in tools and settings, with what was meant', async () => {
    const tool = { name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => '' };
    expect(() => defineTool({ ...tool, efect: 'read' } as typeof tool)).toThrow('did you mean "effect"?');
    const settings = { temprature: 1 } as object;
    await expect(createAgent({ model, settings })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining('temprature') as string,
    });
  });

  it('is refused in settings that no model can take', async () => {
    await using agent = await createAgent({ model });
    const settings = { temperature: 'hot' } as object;
    await expect(agent.run('hello', { settings })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: 'The option "settings.temperature" of run is "hot"; write a number.',
    });
  });

  it('is refused in state and as the input of a run', async () => {
    const misspelt = definePlugin({
      name: 'misspelt',
      setup({ state }) {
        state({ key: 'n', scope: 'sesion' as 'session', initial: () => 0 });
      },
    })();
    await expect(createAgent({ model, plugins: [misspelt] })).rejects.toMatchObject({
      code: 'PLUGIN_SETUP_FAILED',
      message: expect.stringContaining('write session or run') as string,
    });
    await using agent = await createAgent({ model });
    await expect(agent.run(undefined as unknown as string)).rejects.toMatchObject({
      code: 'MESSAGE_INVALID',
    });
  });

  it('is refused as what beforeAgent returns', async () => {
    const returning = definePlugin({
      name: 'returning',
      setup({ hooks }) {
        hooks.beforeAgent.tap('x', (() => []) as unknown as () => void);
      },
    })();
    await using agent = await createAgent({ model, log: 'silent', plugins: [returning] });
    await expect(agent.run('hello')).rejects.toMatchObject({ code: 'HOOK_RESULT', plugin: 'returning' });
  });
});
