import { describe, expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { message } from '../../../testing/src/store/store-samples.ts';
import type { Agent } from '../agent.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import { textOf } from '../contract/messages.ts';
import type { RunPosition, Store } from '../contract/store.ts';
import { noUsage } from '../contract/usage.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';

/** A run as it was stored when positions had fewer members. */
async function storedAt(position: RunPosition): Promise<Store> {
  const store = memoryStore();
  const isBefore = position.at === 'input';
  await store.commit('s', 0, {
    append: isBefore ? [] : [message('run_1.1', 'go')],
    run: {
      id: 'run_1',
      status: 'running',
      step: isBefore ? 0 : 1,
      usage: noUsage,
      usageBefore: noUsage,
      startedAt: 1,
      state: {},
      position,
      interrupts: [],
      answers: {},
    },
  });
  return store;
}

function noting(): { readonly entered: string[]; readonly start: (store: Store) => Promise<Agent> } {
  const entered: string[] = [];
  const plugin = (name: string, priority: number) =>
    definePlugin({
      name,
      priority,
      setup({ hooks }) {
        hooks.beforeAgent.tap('note', () => void entered.push(`beforeAgent of ${name}`));
        hooks.beforeModel.tap('note', () => void entered.push(`beforeModel of ${name}`));
        hooks.afterModel.tap('note', () => void entered.push(`afterModel of ${name}`));
      },
    })();
  const start = (store: Store): Promise<Agent> =>
    createAgent({
      model: scriptedModel([{ text: 'Done.' }]),
      log: 'silent',
      store,
      plugins: [plugin('outer', 80), plugin('inner', 20)],
    });
  return { entered, start };
}

describe('a run that was stored without the members of today', () => {
  it('continues in beforeAgent with the tap that was in progress', async () => {
    const { entered, start } = noting();
    const tap = 'inner/note/1';
    await using agent = await start(await storedAt({ at: 'input', input: [message('run_1.1', 'go')], tap }));
    expect((await agent.resume('s')).messages.map(textOf)).toEqual(['go', 'Done.']);
    expect(entered.filter((line) => line.startsWith('beforeAgent'))).toEqual(['beforeAgent of inner']);
  });

  it('continues in beforeModel with its request, which names the model of the agent', async () => {
    const { entered, start } = noting();
    const value = { model: 'test/scripted', instructions: '', settings: {} };
    await using agent = await start(await storedAt({ at: 'beforeModel', tap: 'inner/note/1', value }));
    expect(await agent.resume('s')).toMatchObject({ text: 'Done.' });
    expect(entered.filter((line) => line.startsWith('beforeModel'))).toEqual(['beforeModel of inner']);
  });

  it('continues in afterModel, and does not ask the model', async () => {
    const { entered, start } = noting();
    const content = [{ type: 'text', text: 'Kept.' }];
    const value = { message: { id: 'run_1.2', role: 'assistant', content }, finish: 'stop' };
    await using agent = await start(await storedAt({ at: 'afterModel', value, offered: [] }));
    expect(await agent.resume('s')).toMatchObject({ text: 'Kept.', outcome: 'completed' });
    expect(entered).toEqual(['afterModel of inner', 'afterModel of outer']);
  });

  it('continues in afterModel with the tap that had asked', async () => {
    const { entered, start } = noting();
    const content = [{ type: 'text', text: 'Kept.' }];
    const value = { message: { id: 'run_1.2', role: 'assistant', content }, finish: 'stop' };
    const tap = 'outer/note/1';
    await using agent = await start(await storedAt({ at: 'afterModel', tap, value, offered: [] }));
    expect(await agent.resume('s')).toMatchObject({ text: 'Kept.' });
    expect(entered).toEqual(['afterModel of outer']);
  });
});
