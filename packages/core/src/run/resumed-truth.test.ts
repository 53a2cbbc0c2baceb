import { describe, expect, it } from 'vitest';

import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import type { Agent } from '../agent.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import { textOf } from '../contract/messages.ts';
import type { Plugin } from '../contract/plugin.ts';
import type { RunResult } from '../contract/result.ts';
import type { Store } from '../contract/store.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';

const yes = { type: 'boolean' } as const;

const asking = defineTool({
  name: 'ask',
  description: 'Asks.',
  input: { type: 'object' },
  execute: (_, { interrupt }) => interrupt({ kind: 'q', payload: null, answer: yes }),
});

const toolTexts = ({ messages }: RunResult): string[] =>
  messages.filter(({ role }) => role === 'tool').map(textOf);

/** Returns the store of a process that is killed now. */
async function leftBy(store: Store): Promise<Store> {
  await new Promise((resolve) => setTimeout(resolve, 10));
  const record = await store.load('s');
  if (record?.run === undefined) throw new Error('nothing was left behind');
  const left = memoryStore();
  const { messages, state, journal, run } = record;
  await left.commit('s', 0, { append: messages, state, journal, run });
  return left;
}

describe('a run that is given up', () => {
  it('keeps the results of calls that were executed', async () => {
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: { type: 'object' },
      execute: () => 'paid',
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'pay' }, { name: 'ask' }] }, { text: 'Anew.' }]);
    await using agent = await createAgent({ model, tools: [pay, asking] });
    await agent.run('hello', { sessionId: 's' });
    await agent.run('again', { sessionId: 's', abandon: true });
    const { messages = [] } = (await agent.session('s')) ?? {};
    expect(messages.filter(({ role }) => role === 'tool').map(textOf)).toEqual([
      'paid',
      'not executed: the run was abandoned',
    ]);
  });
});

describe('a call that a gate had changed before its process died', () => {
  /** Returns the state left by a process that dies while it pays. */
  async function diedPaying() {
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: { type: 'object' },
      execute: () => new Promise<string>(() => {}),
    });
    const halving = definePlugin({
      name: 'halving',
      setup({ hooks }) {
        hooks.wrapToolCall.tapPromise({ name: 'halve', gate: true }, async (call, next) =>
          next({ ...call, input: { cents: 50 } }),
        );
      },
    })();
    const start = (store: Store, step: ScriptedStep): Promise<Agent> =>
      createAgent({
        log: 'silent',
        model: scriptedModel([step]),
        tools: [pay],
        plugins: [halving],
        store,
      });
    const store = memoryStore();
    const dying = await start(store, { toolCalls: [{ name: 'pay', args: { cents: 100 } }] });
    void dying.run('hello', { sessionId: 's' }).catch(() => {});
    return { dying, after: await start(await leftBy(store), { text: 'Done.' }) };
  }
  const began = 'This call was changed before it was executed. The executed call is pay with {"cents":50}';

  it('is told to the model with the result that a person gives', async () => {
    const { dying, after } = await diedPaying();
    const asked = await after.resume('s');
    const answer = { action: 'result', result: 'It was paid.' };
    const result = await after.resume('s', { [asked.interrupts[0]?.id ?? '']: answer });
    expect(toolTexts(result)).toEqual([`${began}\nIt was paid.`]);
    await dying.close();
  });

  it('is told to the model when the run is given up', async () => {
    const { dying, after } = await diedPaying();
    await after.run('again', { sessionId: 's', abandon: true });
    const { messages = [] } = (await after.session('s')) ?? {};
    expect(messages.filter(({ role }) => role === 'tool').map(textOf)).toEqual([
      `${began}\nIt is not known whether this call took effect: it had started when the run was abandoned.`,
    ]);
    await dying.close();
  });
});

describe('a run that is taken up', () => {
  it('still fails for a tool that had failed before a layer asked', async () => {
    const bad = defineTool({
      name: 'bad',
      description: 'Fails.',
      input: { type: 'object' },
      execute: () => {
        throw new Error('broken');
      },
    });
    const asks = definePlugin({
      name: 'asks',
      async wrapToolCall(call, next, { interrupt }) {
        const result = await next(call);
        await interrupt({ kind: 'q', payload: null, answer: yes });
        return result;
      },
    })();
    const model = scriptedModel([{ toolCalls: [{ name: 'bad' }] }]);
    await using agent = await createAgent({ model, tools: [bad], plugins: [asks], toolErrors: 'throw' });
    const { interrupts } = await agent.run('hello', { sessionId: 's' });
    const resumed = agent.resume('s', { [interrupts[0]?.id ?? '']: true });
    await expect(resumed).rejects.toMatchObject({ code: 'TOOL_FAILED' });
  });

  it('counts a step once whose beforeModel had kept something with once before the crash', async () => {
    const store = memoryStore();
    let times = 0;
    const counting = (then: () => Promise<void>): Plugin =>
      definePlugin({
        name: 'counting',
        async beforeModel(_, run) {
          await run.once('count', () => (times += 1));
          steps.push(run.step);
          await then();
        },
      })();
    const steps: number[] = [];
    const dying = await createAgent({
      log: 'silent',
      model: scriptedModel([]),
      store,
      hookTimeoutMs: 200,
      plugins: [counting(() => new Promise(() => {}))],
    });
    void dying.run('hello', { sessionId: 's' }).catch(() => {});
    const left = await leftBy(store);
    const model = scriptedModel([{ text: 'Done.' }]);
    await using agent = await createAgent({ model, store: left, plugins: [counting(async () => {})] });
    expect(await agent.resume('s')).toMatchObject({ text: 'Done.', steps: 1 });
    expect([times, steps]).toEqual([1, [1, 1]]);
    await dying.close();
  });

  it('asks again before it repeats a write that died twice', async () => {
    let executions = 0;
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: { type: 'object' },
      execute: () => {
        executions += 1;
        return executions < 3 ? new Promise<string>(() => {}) : 'paid';
      },
    });
    const start = async (store: Store): Promise<Awaited<ReturnType<typeof createAgent>>> =>
      createAgent({
        log: 'silent',
        model: scriptedModel(executions === 0 ? [{ toolCalls: [{ name: 'pay' }] }] : [{ text: 'Done.' }]),
        tools: [pay],
        store,
      });
    const first = memoryStore();
    const one = await start(first);
    void one.run('hello', { sessionId: 's' }).catch(() => {});
    const second = await leftBy(first);
    const two = await start(second);
    const asked = await two.resume('s');
    void two.resume('s', { [asked.interrupts[0]?.id ?? '']: { action: 'repeat' } }).catch(() => {});
    const third = await leftBy(second);
    await using three = await start(third);
    const again = await three.resume('s');
    expect([again.outcome, executions]).toEqual(['interrupted', 2]);
    const done = await three.resume('s', { [again.interrupts[0]?.id ?? '']: { action: 'repeat' } });
    expect([toolTexts(done), executions]).toEqual([['paid'], 3]);
    await Promise.all([one.close(), two.close()]);
  });

  it('takes no answer about an execution for one about another, after a question of the tool', async () => {
    let entered = 0;
    let paid = 0;
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: { type: 'object' },
      async execute(_, { interrupt }) {
        entered += 1;
        if (entered === 1) return new Promise<string>(() => {});
        await interrupt({ kind: 'pin', payload: 'The PIN?', answer: { type: 'string' } });
        paid += 1;
        return paid === 1 ? new Promise<string>(() => {}) : 'paid';
      },
    });
    const start = async (store: Store): Promise<Awaited<ReturnType<typeof createAgent>>> =>
      createAgent({
        log: 'silent',
        model: scriptedModel([{ toolCalls: [{ name: 'pay' }] }]),
        tools: [pay],
        store,
      });
    const first = memoryStore();
    const one = await start(first);
    void one.run('hello', { sessionId: 's' }).catch(() => {});
    const second = await leftBy(first);
    const two = await start(second);
    const asked = await two.resume('s');
    const pin = await two.resume('s', { [asked.interrupts[0]?.id ?? '']: { action: 'repeat' } });
    void two.resume('s', { [pin.interrupts[0]?.id ?? '']: '1234' }).catch(() => {});
    const third = await leftBy(second);
    await using three = await start(third);
    const again = await three.resume('s');
    expect([asked, pin, again].map(({ interrupts }) => interrupts.map(({ kind }) => kind))).toEqual([
      ['unknown-effect'],
      ['pin'],
      ['unknown-effect'],
    ]);
    expect(again.interrupts[0]?.id).not.toBe(asked.interrupts[0]?.id);
    expect(paid).toBe(1);
    await Promise.all([one.close(), two.close()]);
  });
});

describe('a hidden tool', () => {
  it('stays hidden when a layer puts the answers of two attempts together', async () => {
    let executed = false;
    const secret = defineTool({
      name: 'secret',
      description: 'Hidden.',
      input: { type: 'object' },
      execute: () => {
        executed = true;
        return 'told';
      },
    });
    const mixing = definePlugin({
      name: 'mixing',
      async wrapModelCall(request, next) {
        if (request.messages.length > 1) return next(request);
        const first = await next({ ...request, tools: [] });
        await next(request);
        return { ...first, metadata: { mixed: true } };
      },
    })();
    const model = scriptedModel([{ toolCalls: [{ name: 'secret' }] }, { text: 'No.' }, { text: 'Done.' }]);
    await using agent = await createAgent({ model, tools: [secret], plugins: [mixing] });
    await agent.run('hello');
    expect(executed).toBe(false);
  });
});
