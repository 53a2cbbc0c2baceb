import { describe, expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { Plugin } from '../contract/plugin.ts';
import type { Store } from '../contract/store.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';

const model = scriptedModel([]);

/** A plugin that takes its time to be set up, and notes its start and stop. */
function slow(name: string, lines: string[], until: Promise<void> = Promise.resolve()): Plugin {
  return definePlugin({
    name,
    async setup({ onStart, onStop }) {
      onStart(() => void lines.push(`${name} start`));
      onStop(() => void lines.push(`${name} stop`));
      await until;
    },
  })();
}

describe('plugins that are added and removed at the same time', () => {
  it('are all there afterwards, and all stopped with the agent', async () => {
    const lines: string[] = [];
    const agent = await createAgent({ model });
    await Promise.all([agent.use(slow('a', lines)), agent.use(slow('b', lines))]);
    expect(agent.plugins.map(({ id }) => id)).toEqual(['a', 'b']);
    await agent.close();
    expect(lines).toEqual(['a start', 'b start', 'b stop', 'a stop']);
  });

  it('do not take each other along when one fails', async () => {
    const failing = definePlugin({
      name: 'failing',
      async setup({ onStart }) {
        onStart(() => {
          throw new Error('no');
        });
      },
    })();
    await using agent = await createAgent({ model });
    const added = await Promise.allSettled([agent.use(failing), agent.use(slow('b', []))]);
    expect(added.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(agent.plugins.map(({ id }) => id)).toEqual(['b']);
  });

  it('come and go in the order of the calls', async () => {
    const lines: string[] = [];
    await using agent = await createAgent({ model, plugins: [slow('a', lines)] });
    const [, first, second] = await Promise.all([
      agent.use(slow('b', lines)),
      agent.remove('a'),
      agent.remove('b'),
    ]);
    expect([first, second]).toEqual([true, true]);
    expect(agent.plugins).toEqual([]);
    expect(lines).toEqual(['a start', 'b start', 'a stop', 'b stop']);
  });

  it('get the same id only once', async () => {
    await using agent = await createAgent({ model });
    const added = await Promise.allSettled([agent.use(slow('a', [])), agent.use(slow('a', []))]);
    expect(added).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'PLUGIN_DUPLICATE' } },
    ]);
  });
});

describe('closing while plugins are being added', () => {
  it('stops the one that is under way, and refuses those that have not begun', async () => {
    const lines: string[] = [];
    const gate = Promise.withResolvers<void>();
    const agent = await createAgent({ model });
    const added = Promise.allSettled([
      agent.use(slow('a', lines, gate.promise)),
      agent.use(slow('b', lines)),
    ]);
    await Promise.resolve();
    const closed = agent.close();
    setImmediate(gate.resolve);
    await closed;
    expect(await added).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'AGENT_CLOSED' } },
    ]);
    expect(agent.plugins).toEqual([]);
    expect(lines).toEqual(['a start', 'a stop']);
  });
});

describe('closing while a run loads its session', () => {
  /** A store that says when it is asked for a session, and answers when it is let. */
  function slowStore(): { store: Store; asked: Promise<void>; answer: () => void } {
    const asked = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const inner = memoryStore();
    const load: Store['load'] = async (sessionId) => {
      asked.resolve();
      await gate.promise;
      return inner.load(sessionId);
    };
    return { store: { ...inner, load }, asked: asked.promise, answer: gate.resolve };
  }

  it('aborts it once it has the session, and stops the plugins after its end is committed', async () => {
    const lines: string[] = [];
    const { store, asked, answer } = slowStore();
    const script = scriptedModel([{ text: 'one' }]);
    const noting = definePlugin({
      name: 'noting',
      setup({ hooks, onStop }) {
        hooks.afterAgent.tap('x', ({ outcome }) => void lines.push(`after agent: ${outcome}`));
        onStop(async () => void lines.push(`stop: ${(await store.load('s'))?.run?.status}`));
      },
    })();
    const agent = await createAgent({
      log: 'silent',
      model: script,
      store,
      plugins: [noting],
      onClose: () => void lines.push('closed'),
    });
    const settled = agent.run('hello', { sessionId: 's' }).catch((error: unknown) => error);
    await asked;
    const closed = agent.close();
    await expect(agent.run('hello', { sessionId: 't' })).rejects.toMatchObject({ code: 'AGENT_CLOSED' });
    setImmediate(answer);
    await closed;
    expect(await settled).toMatchObject({ code: 'RUN_ABORTED' });
    expect(lines).toEqual(['after agent: aborted', 'stop: aborted', 'closed']);
    expect(script.requests).toEqual([]);
  });

  it('waits for a resume as well', async () => {
    const lines: string[] = [];
    const { store, asked, answer } = slowStore();
    const agent = await createAgent({ model, store, onClose: () => void lines.push('closed') });
    const settled = agent.resume('nowhere').catch((error: unknown) => {
      lines.push('resume is over');
      return error;
    });
    await asked;
    const closed = agent.close();
    setImmediate(answer);
    await closed;
    expect(await settled).toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(lines).toEqual(['resume is over', 'closed']);
  });

  it('refuses what is begun by a run that it aborts', async () => {
    let again: Promise<unknown> | undefined;
    const restarting = definePlugin({
      name: 'restarting',
      beforeAgent: ({ signal }) =>
        signal.addEventListener('abort', () => {
          again ??= agent.run('again').catch((error: unknown) => error);
        }),
    })();
    const model = scriptedModel([{ chunks: [], stall: 'ignore-signal' }]);
    const agent = await createAgent({ log: 'silent', model, plugins: [restarting] });
    const settled = agent.run('hello').catch((error: unknown) => error);
    await expect.poll(() => model.calls).toBe(1);
    await agent.close();
    expect(await settled).toMatchObject({ code: 'RUN_ABORTED' });
    expect(await again).toMatchObject({ code: 'AGENT_CLOSED' });
  });
});
