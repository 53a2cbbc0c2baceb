import { describe, expect, it } from 'vitest';

import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { Plugin } from '../contract/plugin.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  execute: () => 'an onion',
});
const used = (input: number, output: number, more = {}) => ({
  input,
  output,
  total: input + output,
  ...more,
});
const call = (usage: ReturnType<typeof used>): ScriptedStep => ({ toolCalls: [{ name: 'look' }], usage });

/** A plugin that asks a model for itself before each step. */
const summarizing = (id: string): Plugin =>
  definePlugin({
    name: id,
    setup: ({ hooks, generate }) =>
      hooks.beforeModel.tap('x', async (_, run) => {
        await generate(run, { messages: run.messages }, { purpose: 'summary' });
      }),
  })();

describe('usage', () => {
  it('is the sum over the steps of a run, with the details that a provider gives', async () => {
    const model = scriptedModel([
      call(used(10, 2, { cacheWrite: 8 })),
      call(used(20, 3, { cacheRead: 8, reasoning: 1 })),
      { text: 'Done.', usage: used(30, 4) },
    ]);
    await using agent = await createAgent({ model, tools: [look] });
    const { usage } = await agent.run('hello');
    expect(usage).toEqual({ ...used(60, 9), cacheRead: 8, cacheWrite: 8, reasoning: 1, modelCalls: 3 });
  });

  it('counts what plugins asked for, and says for whom', async () => {
    const model = scriptedModel([
      { text: 's', usage: used(100, 10) },
      { text: 's', usage: used(200, 20) },
      call(used(1, 1)),
      { text: 's', usage: used(300, 30) },
      { text: 's' },
      { text: 'Done.', usage: used(2, 2) },
    ]);
    await using agent = await createAgent({
      model,
      tools: [look],
      plugins: [summarizing('one'), summarizing('two')],
    });
    const { usage } = await agent.run('hello');
    expect(usage).toEqual({
      ...used(603, 63),
      modelCalls: 6,
      unreported: 1,
      plugins: { one: used(400, 40), two: used(200, 20) },
    });
  });

  it('counts each attempt that came to its end, and none that failed', async () => {
    const twice = definePlugin({
      name: 'twice',
      async wrapModelCall(request, next) {
        await next(request).catch(() => undefined);
        await next(request);
        return next(request);
      },
    })();
    const model = scriptedModel([
      { error: new Error('no') },
      { text: 'a', usage: used(1, 1) },
      { text: 'b', usage: used(2, 2) },
    ]);
    await using agent = await createAgent({ model, plugins: [twice] });
    expect((await agent.run('hello')).usage).toEqual({ ...used(3, 3), modelCalls: 2 });
  });

  it('is known while the run goes on, when it fails, and of the session as a whole', async () => {
    const seen: number[] = [];
    const noting = definePlugin({
      name: 'noting',
      afterModel: (_, run) => void seen.push(run.usage.total),
    })();
    const model = scriptedModel([
      call(used(10, 2)),
      { text: 'Done.', usage: used(20, 3) },
      call(used(1, 1)),
      { error: new Error('no') },
    ]);
    await using agent = await createAgent({ log: 'silent', model, tools: [look], plugins: [noting] });
    await agent.run('hello', { sessionId: 's' });
    await expect(agent.run('again', { sessionId: 's' })).rejects.toMatchObject({
      result: { usage: { total: 2, modelCalls: 1 } },
    });
    expect(seen).toEqual([12, 35, 2]);
    expect((await agent.session('s'))?.usage).toMatchObject({ ...used(31, 6), modelCalls: 3 });
  });

  it('says for whom also over several runs of a session', async () => {
    const answers = [used(100, 10), used(200, 20), used(1, 1), used(300, 30), used(400, 40), used(2, 2)];
    const model = scriptedModel(answers.map((usage) => ({ text: 'x', usage })));
    const plugins = [summarizing('one'), summarizing('two')];
    await using agent = await createAgent({ model, plugins });
    await agent.run('hello', { sessionId: 's' });
    await agent.run('again', { sessionId: 's' });
    expect((await agent.session('s'))?.usage).toEqual({
      ...used(1003, 103),
      modelCalls: 6,
      plugins: { one: used(400, 40), two: used(600, 60) },
    });
  });
});
