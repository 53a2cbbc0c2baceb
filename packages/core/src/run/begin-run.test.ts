import { describe, expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import type { Agent } from '../agent.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { Plugin } from '../contract/plugin.ts';
import type { Store } from '../contract/store.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { answerInterrupts } from '../workers/answer-interrupts.ts';

const asking = defineTool({
  name: 'ask',
  description: 'Asks.',
  input: { type: 'object' },
  async execute(_, { interrupt }) {
    await Promise.all(
      ['a', 'b'].map((payload) => interrupt({ kind: 'q', payload, answer: { type: 'string' } })),
    );
    return 'ok';
  },
});

function agentOf(store: Store, plugins: readonly Plugin[] = []): Promise<Agent> {
  const model = scriptedModel([
    ({ messages }) => (messages.some(({ role }) => role === 'tool') ? { text: 'Done.' } : calls),
    { text: 'Done.' },
    { text: 'Done.' },
  ]);
  return createAgent({ log: 'silent', model, store, tools: [asking], plugins });
}

const calls = { toolCalls: [{ name: 'ask' }] };

describe('a run in a session that waits for answers', () => {
  it('is refused with the questions that are open', async () => {
    const store = memoryStore();
    await using agent = await agentOf(store);
    const { interrupts } = await agent.run('Go', { sessionId: 's' });
    const [a = '', b = ''] = interrupts.map(({ id }) => id);
    const message = (what: string): object => ({
      code: 'SESSION_INTERRUPTED',
      message: `Session "s" ${what}. Resume it, or run with abandon: true to abandon it.`,
    });
    const run = (): Promise<unknown> => agent.run('More', { sessionId: 's' });
    await expect(run()).rejects.toMatchObject(message(`is waiting for answers to ${a}, ${b}`));
    await answerInterrupts(store, 's', { [a]: 'yes' });
    await expect(run()).rejects.toMatchObject(message(`is waiting for answers to ${b}`));
    await answerInterrupts(store, 's', { [b]: 'yes' });
    await expect(run()).rejects.toMatchObject(message('has its answers, but was not resumed'));
    expect(await agent.run('More', { sessionId: 's', abandon: true })).toMatchObject({
      outcome: 'completed',
    });
  });
});

/** A plugin with a count for the session and one for the run, in this version. */
function counting(version: number, seen: unknown[] = []): Plugin {
  return definePlugin({
    name: 'counts',
    setup({ hooks, state }) {
      const migrate = { 1: (old: unknown) => ({ count: old as number }) };
      const of = (scope: 'session' | 'run') =>
        version === 1
          ? state<unknown>({ key: scope, scope, initial: () => 1 })
          : state<unknown>({
              key: scope,
              scope,
              version,
              migrate,
              initial: () => ({ count: 0 }),
            });
      const states = [of('session'), of('run')];
      hooks.beforeModel.tap('count', (_, run) => {
        for (const each of states) {
          const value = each.get(run);
          seen.push(value);
          if (version === 1) each.set(run, value);
        }
      });
    },
  })();
}

describe('state of an earlier version of its plugin', () => {
  it('is upgraded when a run begins in its session', async () => {
    const store = memoryStore();
    await store.commit('s', 0, { state: { counts: { session: { version: 1, value: 7 } } } });
    const seen: unknown[] = [];
    await using agent = await agentOf(store, [counting(2, seen)]);
    await agent.run('Go', { sessionId: 's' });
    expect(seen).toEqual([{ count: 7 }, { count: 0 }]);
    expect((await store.load('s'))?.state['counts']).toEqual({
      session: { version: 2, value: { count: 7 } },
    });
  });

  it('is upgraded when its run is resumed', async () => {
    const store = memoryStore();
    await using before = await agentOf(store, [counting(1)]);
    const { interrupts } = await before.run('Go', { sessionId: 's' });
    const answers = Object.fromEntries(interrupts.map(({ id }) => [id, 'yes']));
    const seen: unknown[] = [];
    await using after = await agentOf(store, [counting(2, seen)]);
    expect(await after.resume('s', answers)).toMatchObject({ outcome: 'completed' });
    expect(seen).toEqual([{ count: 1 }, { count: 1 }]);
    expect(await store.load('s')).toMatchObject({
      state: { counts: { session: { version: 2 } } },
      run: { state: { counts: { run: { version: 2, value: { count: 1 } } } } },
    });
  });
});
