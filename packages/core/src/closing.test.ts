import { describe, expect, it } from 'vitest';

import { createAgent } from './agent.ts';
import type { Plugin } from './plugin.ts';
import { inlinePlugin } from './testing/inline-plugin.ts';
import { scriptedModel } from './testing/scripted-model.ts';

const model = scriptedModel([]);

/** A plugin that takes its time to be set up, and notes its start and stop. */
function slow(name: string, lines: string[], until: Promise<void> = Promise.resolve()): Plugin {
  return inlinePlugin(name, async ({ onStart, onStop }) => {
    onStart(() => void lines.push(`${name} start`));
    onStop(() => void lines.push(`${name} stop`));
    await until;
  });
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
    const failing = inlinePlugin('failing', async ({ onStart }) => {
      onStart(() => {
        throw new Error('no');
      });
    });
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
