import { expect, it } from 'vitest';

import { collectEvents, scriptedModel } from '../../../testing/src/index.ts';
import { message } from '../../../testing/src/store/store-samples.ts';
import type { Agent } from '../agent.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { StateRecord, Store } from '../contract/store.ts';
import { defineTool } from '../contract/tool.ts';
import { noUsage } from '../contract/usage.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { forkSession } from '../workers/fork-session.ts';
import { submitRun } from '../workers/submit-run.ts';

function plugin(name: string, version: string) {
  return definePlugin({
    name,
    version,
    setup({ hooks, state }) {
      const seen = state<number>({ key: 'seen', initial: () => 0, onFork: 'keep' });
      hooks.beforeAgent.tap('note', (run) => seen.set(run, seen.get(run) + 1));
    },
  })();
}

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  execute: () => 'Nothing.',
});

function agentWith(store: Store, versions: Readonly<Record<string, string>>): Promise<Agent> {
  return createAgent({
    name: 'notes',
    model: scriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'Done.' }]),
    tools: [look],
    plugins: Object.entries(versions).map(([name, version]) => plugin(name, version)),
    store,
    log: 'silent',
  });
}

/** Returns the names and versions in a change, or in a session. */
function versionsIn(state: StateRecord | undefined): unknown {
  const known = (state?.['core']?.['plugins']?.value ?? {}) as Record<string, { readonly version: string }>;
  return Object.fromEntries(Object.entries(known).map(([id, { version }]) => [id, version]));
}

it('plugins of a run are written with the first commit, and then only when they have changed', async () => {
  const store = memoryStore();
  const written: unknown[] = [];
  const noting: Store = {
    ...store,
    async commit(sessionId, revision, change) {
      if (change.state?.['core'] !== undefined) written.push(versionsIn(change.state as StateRecord));
      return store.commit(sessionId, revision, change);
    },
  };
  for (const version of ['1.0.0', '1.0.0', '1.1.0']) {
    await using agent = await agentWith(noting, { audit: version });
    await agent.run('go', { sessionId: 's' });
  }
  expect(written).toEqual([{ audit: '1.0.0' }, { audit: '1.1.0' }]);
  expect((await store.load('s'))?.run).not.toHaveProperty('plugins');
});

it('a fork knows the plugins that wrote its state', async () => {
  const store = memoryStore();
  await using agent = await agentWith(store, { audit: '1.0.0' });
  const { messages } = await agent.run('go', { sessionId: 's' });
  const forks = [await forkSession(store, 's'), await forkSession(store, 's', { at: messages[0]?.id ?? '' })];
  for (const { sessionId, withoutState } of forks) {
    expect(versionsIn((await store.load(sessionId))?.state)).toEqual({ audit: '1.0.0' });
    expect(withoutState).toEqual([]);
  }
});

it('plugins of a record of format 1 are known, and stay known after the next run', async () => {
  const store = memoryStore();
  await store.commit('s', 0, {
    append: [message('run_1.1', 'go')],
    state: { audit: { seen: { version: 1, value: 3 } } },
    run: {
      id: 'run_1',
      status: 'completed',
      step: 1,
      usage: noUsage,
      usageBefore: noUsage,
      startedAt: 1,
      state: {},
      plugins: { audit: { name: 'audit', version: '0.9.0' } },
      position: { at: 'end' },
      interrupts: [],
      answers: {},
    },
  });
  for (let times = 0; times < 2; times += 1) {
    await using agent = await agentWith(store, {});
    const { events } = await collectEvents(agent.stream('and now?', { sessionId: 's' }));
    expect(events).toContainEqual(
      expect.objectContaining({
        code: 'PLUGIN_GONE',
        message: expect.stringContaining('audit 0.9.0') as string,
      }),
    );
  }
  expect(versionsIn((await store.load('s'))?.state)).toEqual({ audit: '0.9.0' });
});

it('a submitted run does not need the plugins of the run before it', async () => {
  const store = memoryStore();
  await using before = await agentWith(store, { audit: '1.0.0' });
  await before.run('go', { sessionId: 's' });
  await submitRun(store, 's', 'again', { agent: 'notes' });
  await using agent = await agentWith(store, { other: '2.0.0' });
  const stopping = new AbortController();
  const working = agent.work({ intervalMs: 5, signal: stopping.signal });
  await expect.poll(async () => (await store.load('s'))?.run?.status).toBe('completed');
  stopping.abort();
  await working;
  expect(versionsIn((await store.load('s'))?.state)).toEqual({ audit: '1.0.0', other: '2.0.0' });
});
