import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { scriptedModel, type ScriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import type { AgentOptions, RunOptions } from '../contract/agent-options.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import { textOf } from '../contract/messages.ts';
import type { RunResult } from '../contract/result.ts';
import type { Store } from '../contract/store.ts';
import type { ToolEffect } from '../contract/tool-display.ts';
import { defineTool, type Tool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { sqliteStore } from '../sqlite/sqlite-store.ts';

const never = (): Promise<never> => new Promise(() => {});
const done: ScriptedStep = { text: 'Done.' };
const call = (count = 1): ScriptedStep => ({
  toolCalls: Array.from({ length: count }, () => ({ name: 'work' })),
});

/** Runs until `dies` is called, and gives what a process that was killed there would leave behind. */
async function killed(
  steps: readonly ScriptedStep[],
  options: (dies: () => Promise<never>) => Partial<AgentOptions>,
  runOptions: RunOptions = {},
): Promise<Store> {
  const store = memoryStore();
  const reached = Promise.withResolvers<void>();
  const dies = (): Promise<never> => {
    reached.resolve();
    return never();
  };
  const agent = await createAgent({
    log: 'silent',
    model: scriptedModel(steps),
    store,
    hookTimeoutMs: 200,
    ...options(dies),
  });
  void agent.run('hello', { ...runOptions, sessionId: 's' }).catch(() => {});
  await reached.promise;
  // Commits that are on their way.
  await new Promise((resolve) => setTimeout(resolve, 10));
  const record = await store.load('s');
  if (record?.run === undefined) throw new Error('nothing was left behind');
  const { messages, state, journal, run } = record;
  const left = memoryStore();
  await left.commit('s', 0, { append: messages, state, journal, run });
  await agent.close();
  return left;
}

async function resume(
  store: Store,
  steps: readonly ScriptedStep[],
  options: Partial<AgentOptions> = {},
  answers = {},
): Promise<{ readonly result: RunResult; readonly model: ScriptedModel }> {
  const model = scriptedModel(steps);
  await using agent = await createAgent({ log: 'silent', model, store, ...options });
  const result = await agent.resume('s', answers);
  if (result.outcome === 'completed') model.assertDone();
  return { result, model };
}

function working(effect: ToolEffect, execute: Tool['execute']): Tool {
  return defineTool({ name: 'work', description: 'Works.', input: { type: 'object' }, effect, execute });
}

const toolTexts = ({ messages }: RunResult): string[] =>
  messages.filter(({ role }) => role === 'tool').map(textOf);

describe('a process that dies while a tool runs', () => {
  const die = (effect: ToolEffect, keys: string[] = []): Promise<Store> =>
    killed([call()], (dies) => ({
      tools: [
        working(effect, (_, context) => {
          keys.push(context.idempotencyKey);
          return dies();
        }),
      ],
    }));

  it.each(['read', 'idempotent'] as const)(
    'has it repeated when it is %s, with the same key',
    async (effect) => {
      const keys: string[] = [];
      const store = await die(effect, keys);
      const tool = working(effect, (_, context) => {
        keys.push(context.idempotencyKey);
        return 'worked';
      });
      const { result } = await resume(store, [done], { tools: [tool] });
      expect(toolTexts(result)).toEqual(['worked']);
      expect(result).toMatchObject({ outcome: 'completed', text: 'Done.', steps: 2 });
      expect(new Set(keys).size).toBe(1);
      expect(keys).toHaveLength(2);
    },
  );

  it('has a write asked about, and never repeats it unasked', async () => {
    const store = await die('write');
    let executed = 0;
    const tools = [
      working('write', () => {
        executed += 1;
        return 'worked';
      }),
    ];
    const { result: asked } = await resume(store, [], { tools });
    expect(asked).toMatchObject({
      outcome: 'interrupted',
      interrupts: [
        { kind: 'unknown-effect', plugin: 'core', call: { name: 'work' }, payload: { tool: 'work' } },
      ],
    });
    // Asked again as often as nobody answers.
    const { result: again } = await resume(store, [], { tools });
    expect([again.interrupts, executed]).toEqual([asked.interrupts, 0]);
    const { result } = await resume(
      store,
      [done],
      { tools },
      { [asked.interrupts[0]?.id ?? '']: { action: 'repeat' } },
    );
    expect([toolTexts(result), executed]).toEqual([['worked'], 1]);
  });

  it('has a write asked about beside a call that is through, whatever their ids', async () => {
    const paid: unknown[] = [];
    const pay = (execute: Tool['execute']): Tool =>
      working('write', (args, context) => {
        paid.push(context.call.id);
        return execute(args, context);
      });
    const ids = ['x', 'x:1', 'x:once:tool:1', 'x%3A1'];
    const calls = { toolCalls: ids.map((id) => ({ id, name: 'work' })) };
    const begun = Promise.withResolvers<void>();
    const store = await killed([calls], (dies) => ({
      tools: [
        pay(async (_, { call: { id } }) => {
          if (paid.length === ids.length) begun.resolve();
          await begun.promise;
          return id === 'x' ? 'worked' : dies();
        }),
      ],
    }));
    const { result } = await resume(store, [], { tools: [pay(() => 'worked')] });
    expect(result.interrupts.map(({ kind, call: asked }) => [kind, asked?.id])).toEqual(
      ids.slice(1).map((id) => ['unknown-effect', id]),
    );
    expect(paid).toHaveLength(ids.length);
  });

  it('is said to be unknown when its last execution is, however many there were', async () => {
    let executed = 0;
    const folder = await mkdtemp(join(tmpdir(), 'shallot-crash-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'sessions.db');
    const options = {
      plugins: [
        definePlugin({
          name: 'retry',
          async wrapToolCall(asked, next) {
            for (let attempt = 1; attempt < 10; attempt += 1) await next(asked);
            return next(asked);
          },
        })(),
      ],
    };
    const left = await killed([call()], (dies) => ({
      ...options,
      tools: [
        working('write', () => {
          executed += 1;
          if (executed === 10) return dies();
          throw new Error('not yet');
        }),
      ],
    }));
    const { messages = [], journal, run } = (await left.load('s')) ?? {};
    const store = sqliteStore(path);
    await store.commit('s', 0, { append: messages, ...(journal && { journal }), ...(run && { run }) });
    await using agent = await createAgent({ log: 'silent', model: scriptedModel([done]), store });
    await agent.run('Go on.', { sessionId: 's', abandon: true });
    const { messages: now = [] } = (await store.load('s')) ?? {};
    expect(now.filter(({ role }) => role === 'tool').map(textOf)).toEqual([
      expect.stringContaining('It is not known whether this call took effect'),
    ]);
  });

  it('takes a result from whoever knows it', async () => {
    const store = await die('write');
    const tools = [working('write', () => never())];
    const { result: asked } = await resume(store, [], { tools });
    const answer = { action: 'result', result: 'It was sent.' };
    const { result } = await resume(store, [done], { tools }, { [asked.interrupts[0]?.id ?? '']: answer });
    expect(toolTexts(result)).toEqual(['It was sent.']);
  });

  it('does not run again the calls beside it that were through', async () => {
    const store = await killed([call(3)], (dies) => ({
      tools: [
        working('read', (_, context) =>
          context.call.index === 1 ? dies() : `${context.call.index}, before`,
        ),
      ],
    }));
    const tools = [working('read', (_, context) => `${context.call.index}, after`)];
    const { result } = await resume(store, [done], { tools });
    expect(toolTexts(result)).toEqual(['0, before', '1, after', '2, before']);
  });
});

describe('a process that dies in a plugin', () => {
  it('after a tool was executed does not execute it again', async () => {
    let executed = 0;
    const tools = [
      working('write', () => {
        executed += 1;
        return 'worked';
      }),
    ];
    const store = await killed([call()], (dies) => ({
      tools,
      plugins: [
        definePlugin({
          name: 'layer',
          async wrapToolCall(asked, next) {
            await next(asked);
            return dies();
          },
        })(),
      ],
    }));
    const { result } = await resume(store, [done], { tools });
    expect([toolTexts(result), executed]).toEqual([['worked'], 1]);
  });

  it('in afterModel does not ask the model again, and hides nothing from the plugin', async () => {
    const store = await killed([{ text: 'An onion.' }], (dies) => ({
      plugins: [definePlugin({ name: 'after', afterModel: dies })()],
    }));
    const seen: string[] = [];
    const after = definePlugin({
      name: 'after',
      afterModel: ({ message }) => void seen.push(textOf(message)),
    })();
    const { result } = await resume(store, [], { plugins: [after] });
    expect([result.text, seen]).toEqual(['An onion.', ['An onion.']]);
    expect(result.messages.map(textOf)).toEqual(['hello', 'An onion.']);
  });

  it('in afterAgent ends as it would have', async () => {
    const store = await killed([{ text: 'An onion.' }], (dies) => ({
      plugins: [definePlugin({ name: 'after', afterAgent: dies })()],
    }));
    const { result } = await resume(store, []);
    expect(result).toMatchObject({ outcome: 'completed', stopReason: 'answer', text: 'An onion.' });
  });

  it.each([
    ['the answer', 50, 'answer'],
    ['the answer after the last step', 1, 'max-steps'],
  ] as const)('in afterAgent keeps the output of %s', async (_, maxSteps, stopReason) => {
    const output = { type: 'object', properties: { kind: { type: 'string' } }, required: ['kind'] };
    const options = { maxSteps, maxStepsAnswer: true, tools: [working('read', () => 'x')] };
    const store = await killed(
      [call(), { text: '{"kind":"onion"}' }],
      (dies) => ({
        ...options,
        plugins: [definePlugin({ name: 'after', afterAgent: dies })()],
      }),
      { output },
    );
    const { result } = await resume(store, [], options);
    expect(result).toMatchObject({ outcome: 'completed', stopReason, output: { kind: 'onion' } });
  });

  it.each(['beforeAgent', 'beforeModel', 'wrapModelCall'] as const)(
    'in %s begins that step again',
    async (hook) => {
      const store = await killed([], (dies) => ({
        plugins: [definePlugin({ name: 'before', setup: ({ hooks }) => hooks[hook].tap('x', dies) })()],
      }));
      const { result } = await resume(store, [{ text: 'An onion.' }]);
      expect(result.messages.map(textOf)).toEqual(['hello', 'An onion.']);
      expect(result).toMatchObject({ steps: 1, text: 'An onion.' });
    },
  );
});

describe('a run that is taken up again', () => {
  it('knows it, and has the usage, run and step that it had', async () => {
    const usage = { input: 5, output: 2, total: 7 };
    const store = await killed([{ toolCalls: [{ name: 'work' }], usage }], (dies) => ({
      tools: [working('read', dies)],
    }));
    const seen: unknown[] = [];
    const noting = definePlugin({
      name: 'noting',
      beforeAgent: () => void seen.push('beforeAgent'),
      beforeModel: (_, run) => void seen.push(run.resumed, run.step),
    })();
    const id = (await store.load('s'))?.run?.id;
    const { result } = await resume(store, [{ text: 'Done.', usage }], {
      tools: [working('read', () => 'worked')],
      plugins: [noting],
    });
    expect(seen).toEqual([true, 2]);
    expect(result).toMatchObject({ runId: id, steps: 2, usage: { total: 14, modelCalls: 2 } });
  });
});
