import { describe, expect, it } from 'vitest';

import { assertValidRequest } from '../../../testing/src/assert-valid-request.ts';
import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import { hookTrace } from '../../../testing/src/trace-hooks.ts';
import { isShallotError } from '../base/errors.ts';
import { hookNames, type HookName } from '../base/hook-names.ts';
import type { AgentOptions } from '../contract/agent-options.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import { textOf } from '../contract/messages.ts';
import type { ChatModel } from '../contract/model.ts';
import type { Plugin } from '../contract/plugin.ts';
import type { RunResult } from '../contract/result.ts';
import { defineTool, type Tool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';

const never = (): Promise<never> => new Promise(() => {});
const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  execute: () => 'an onion',
});
const call: ScriptedStep = { toolCalls: [{ name: 'look' }, { name: 'look' }] };

interface Aborted {
  readonly result: RunResult | undefined;
  readonly code: unknown;
  readonly lines: readonly string[];
  /** The texts of the tool results in the session after the next run. */
  readonly toolTexts: readonly string[];
}

/**
 * Runs until `abort` is called, between plugins that record. The session must then have a valid history, and be good
 * for another run.
 */
async function abortRun(
  steps: readonly ScriptedStep[],
  options: (abort: () => void) => Partial<AgentOptions>,
): Promise<Aborted> {
  const controller = new AbortController();
  const trace = hookTrace();
  const model = scriptedModel(steps);
  const { plugins = [], ...rest } = options(() => controller.abort(new Error('enough')));
  await using agent = await createAgent({
    log: 'silent',
    model,
    tools: [look],
    ...rest,
    plugins: [trace.plugin('a', 90, { hooks: ['afterAgent'] }), ...plugins],
  });
  const error: unknown = await agent
    .run('hello', { sessionId: 's', signal: controller.signal })
    .catch((thrown: unknown) => thrown);
  await using other = await agent.fork({ model: scriptedModel([{ text: 'Still here.' }]), plugins: [] });
  expect((await other.run('And now?', { sessionId: 's' })).text).toBe('Still here.');
  const messages = (await agent.session('s'))?.messages ?? [];
  assertValidRequest({ model, instructions: '', settings: {}, messages });
  const toolTexts = messages.filter(({ role }) => role === 'tool').map(textOf);
  const failure = isShallotError(error) ? error : undefined;
  return { result: failure?.result, code: failure?.code, lines: trace.lines, toolTexts };
}

const isAborted = { code: 'RUN_ABORTED', result: { outcome: 'aborted', stopReason: 'abort', text: '' } };

/** A tool that never answers, and listens to no signal. */
function deaf(entered: () => void): Tool {
  return defineTool({
    name: 'look',
    description: 'Is deaf.',
    input: { type: 'object' },
    execute: () => (entered(), never()),
  });
}

/** A plugin that aborts in one hook, the first time, and then does this. */
function aborting(hook: HookName, abort: () => void, then: () => unknown): Plugin {
  return definePlugin({
    name: 'aborting',
    setup: ({ hooks }) =>
      (hooks[hook].tap as (name: string, fn: () => unknown) => void)('x', () => {
        abort();
        return then();
      }),
  })();
}

describe('an abort', () => {
  for (const hook of hookNames.filter((name) => name !== 'afterAgent')) {
    it(`in ${hook} that never settles ends the run at once, and afterAgent runs`, async () => {
      const aborted = await abortRun([call], (abort) => ({ plugins: [aborting(hook, abort, never)] }));
      expect(aborted).toMatchObject(isAborted);
      expect(aborted.lines).toEqual(['a afterAgent aborted']);
    });

    it(`in ${hook} that then throws is an abort all the same`, async () => {
      const fail = (): never => {
        throw new Error('no');
      };
      const aborted = await abortRun([call], (abort) => ({ plugins: [aborting(hook, abort, fail)] }));
      expect(aborted).toMatchObject(isAborted);
    });
  }

  it('says why', async () => {
    const { result } = await abortRun([call], (abort) => ({
      plugins: [aborting('beforeModel', abort, () => {})],
    }));
    expect(result?.error).toMatchObject({
      message: 'The run was aborted: enough.',
      cause: { message: 'enough' },
    });
  });

  it.each([true, 'ignore-signal'] as const)('reaches a model at once that stalls (%s)', async (stall) => {
    const aborted = await abortRun([], (abort) => {
      const stalling: ScriptedStep = () => (setImmediate(abort), { chunks: ['Well'], stall });
      return { model: scriptedModel([stalling]) };
    });
    expect(aborted).toMatchObject(isAborted);
  });

  it('aborts the signals of the model, and of each tool that runs', async () => {
    const reasons: string[] = [];
    const note = (signal: AbortSignal): void =>
      signal.addEventListener('abort', () => void reasons.push(String(signal.reason)), { once: true });
    await abortRun([call], (abort) => {
      const waiting = defineTool({
        name: 'look',
        description: 'Waits.',
        input: { type: 'object' },
        execute(_, { call, signal }) {
          note(signal);
          if (call.index === 1) abort();
          return never();
        },
      });
      return { tools: [waiting] };
    });
    await abortRun([], (abort) => {
      const model: ChatModel = {
        id: 'test/waiting',
        generate(_, { signal }) {
          note(signal);
          abort();
          return never();
        },
      };
      return { model };
    });
    expect(reasons).toEqual(Array.from({ length: 3 }, () => 'ShallotError: The run was aborted: enough.'));
  });

  it('does not wait for tools that ignore it: the next run answers each call', async () => {
    const aborted = await abortRun([call], (abort) => ({
      tools: [deaf(() => setImmediate(abort))],
      toolConcurrency: 1,
    }));
    expect(aborted).toMatchObject(isAborted);
    expect(aborted.toolTexts).toEqual([
      'It is not known whether this call took effect: it had started when the run was aborted.',
      'not executed: the run was aborted',
    ]);
  });

  it('keeps the results that were there', async () => {
    const begun = Promise.withResolvers<void>();
    const slow = defineTool({
      name: 'look',
      description: 'Looks.',
      input: { type: 'object' },
      execute: (_, { call: { index } }) => (index === 0 ? 'an onion' : (begun.resolve(), never())),
    });
    const aborted = await abortRun([call], (abort) => {
      const watching = definePlugin({
        name: 'watching',
        async wrapToolCall(asked, next) {
          const result = await next(asked);
          void begun.promise.then(() => setImmediate(abort));
          return result;
        },
      })();
      return { tools: [slow], plugins: [watching] };
    });
    expect(aborted.toolTexts).toEqual([
      'an onion',
      'It is not known whether this call took effect: it had started when the run was aborted.',
    ]);
  });

  it('ends the back-off of a layer that does not listen, and stops it from trying again', async () => {
    const backOff = Promise.withResolvers<void>();
    const retried = Promise.withResolvers<unknown>();
    const retry = (abort: () => void): Plugin =>
      definePlugin({
        name: 'retry',
        async wrapModelCall(request, next) {
          try {
            return await next(request);
          } catch {
            setImmediate(abort);
            await backOff.promise;
            const again = next(request);
            again.then(retried.resolve, retried.resolve);
            return again;
          }
        },
      })();
    let calls = 0;
    const busy = (): ScriptedStep => {
      calls += 1;
      return { error: new Error('busy') };
    };
    const aborted = await abortRun([busy, busy], (abort) => ({ plugins: [retry(abort)] }));
    expect(aborted).toMatchObject(isAborted);
    backOff.resolve();
    expect(await retried.promise).toMatchObject({ code: 'RUN_ABORTED' });
    expect(calls).toBe(1);
  });

  it('cannot be swallowed by a layer', async () => {
    const swallowing = definePlugin({
      name: 'swallowing',
      wrapModelCall: (request, next) =>
        next(request).catch(() => ({
          message: { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'never mind' }] },
          finish: 'stop' as const,
        })),
      wrapToolCall: (asked, next) => next(asked).catch(() => ({ content: [] })),
    })();
    const stalling =
      (abort: () => void): ScriptedStep =>
      () => (setImmediate(abort), { chunks: [], stall: true });
    for (const stepOf of [() => call, stalling]) {
      const aborted = await abortRun([], (abort) => ({
        model: scriptedModel([stepOf(abort)]),
        tools: [deaf(() => setImmediate(abort))],
        plugins: [swallowing],
      }));
      expect(aborted).toMatchObject(isAborted);
    }
  });

  it('before the start runs nothing but afterAgent', async () => {
    const controller = new AbortController();
    controller.abort();
    const model = scriptedModel([]);
    const trace = hookTrace();
    await using agent = await createAgent({
      log: 'silent',
      model,
      plugins: [trace.plugin('a', 50, { hooks: ['beforeModel', 'wrapModelCall', 'afterAgent'] })],
    });
    const run = agent.run('hello', { signal: controller.signal });
    await expect(run).rejects.toMatchObject(isAborted);
    expect(trace.lines).toEqual(['a afterAgent aborted']);
  });

  it('after the end does nothing, and leaves no listener behind', async () => {
    const controller = new AbortController();
    let listeners = 0;
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => ((listeners += 1), add(...args));
    signal.removeEventListener = (...args: Parameters<typeof remove>) => ((listeners -= 1), remove(...args));
    await using agent = await createAgent({ model: scriptedModel([{ text: 'x' }]) });
    const result = await agent.run('hello', { signal });
    controller.abort();
    expect([result.outcome, listeners]).toEqual(['completed', 0]);
  });

  it('comes from closing the agent, too, which waits for the end', async () => {
    const model = scriptedModel([{ chunks: [], stall: 'ignore-signal' }]);
    const agent = await createAgent({ log: 'silent', model });
    const run = agent.run('hello', { sessionId: 's' });
    const settled = run.catch((error: unknown) => error);
    await expect.poll(() => model.calls).toBe(1);
    await agent.close();
    expect(await settled).toMatchObject({ code: 'RUN_ABORTED' });
    await expect(agent.run('hello')).rejects.toMatchObject({ code: 'AGENT_CLOSED' });
  });
});

describe('a tool that goes on after the abort', () => {
  it.each([
    ['once', (context: Parameters<Tool['execute']>[1]) => context.once('x', () => 1)],
    [
      'interrupt',
      (context: Parameters<Tool['execute']>[1]) =>
        context.interrupt({ kind: 'q', payload: 1, answer: { type: 'string' } }),
    ],
  ])('cannot change the session with %s', async (_, goOn) => {
    const controller = new AbortController();
    const isOver = Promise.withResolvers<void>();
    const tried = Promise.withResolvers<unknown>();
    const late = defineTool({
      name: 'look',
      description: 'Goes on.',
      input: { type: 'object' },
      async execute(_input, context) {
        setImmediate(() => controller.abort());
        await isOver.promise;
        await goOn(context).then(tried.resolve, tried.resolve);
        return 'too late';
      },
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'Still here.' }]);
    await using agent = await createAgent({ log: 'silent', model, tools: [late] });
    const run = agent.run('hello', { sessionId: 's', signal: controller.signal });
    await expect(run).rejects.toMatchObject({ code: 'RUN_ABORTED' });
    const before = await agent.session('s');
    isOver.resolve();
    expect(await tried.promise).toMatchObject({ code: 'RUN_ABORTED' });
    await new Promise(setImmediate);
    expect(await agent.session('s')).toEqual(before);
    expect((await agent.run('And now?', { sessionId: 's' })).text).toBe('Still here.');
  });
});
