import { expect, it } from 'vitest';

import { collectEvents } from '../../../testing/src/collect-events.ts';
import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import type { Agent } from '../agent.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { Plugin } from '../contract/plugin.ts';
import type { Store } from '../contract/store.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { submitRun } from '../workers/submit-run.ts';

const saying = (text: string): unknown => expect.stringContaining(text);

function agentOf(store: Store, plugins: readonly Plugin[]): Promise<Agent> {
  return createAgent({ log: 'silent', model: scriptedModel([{ text: 'ok' }]), store, plugins });
}

/** A plugin that counts the runs of a session. */
function counting(name: string, version?: string): Plugin {
  return definePlugin({
    name,
    ...(version !== undefined && { version }),
    setup({ hooks, state }) {
      const count = state({ key: 'runs', initial: () => 0 });
      hooks.beforeAgent.tap('count', (run) => count.update(run, (runs) => runs + 1));
    },
  })();
}

async function warningsOf(agent: Agent): Promise<readonly object[]> {
  const { events } = await collectEvents(agent.stream('Go', { sessionId: 's' }));
  return events.filter(({ type }) => type === 'warning');
}

it('a run without a plugin that has state in its session says so, and keeps the state and its writer', async () => {
  const store = memoryStore();
  const both = [counting('limits', '1.2.0'), counting('notes')];
  await using before = await agentOf(store, both);
  expect(await warningsOf(before)).toEqual([]);
  const message = (plugin: string): string =>
    `The plugin ${plugin} has state in session "s" but is no longer configured. The run continues without it; its state is kept.`;
  const expected = [
    { type: 'warning', code: 'PLUGIN_GONE', plugin: 'limits', message: message('limits 1.2.0') },
    { type: 'warning', code: 'PLUGIN_GONE', plugin: 'notes', message: message('notes (no version)') },
  ];
  for (const _ of ['once', 'again']) {
    await using agent = await agentOf(store, []);
    expect(await warningsOf(agent)).toEqual(expected);
  }
  await using after = await agentOf(store, both);
  await after.run('Go', { sessionId: 's' });
  expect((await after.session('s'))?.state).toMatchObject({ limits: { runs: { value: 2 } } });
});

it('a run that was submitted knows the plugins of the run before it', async () => {
  const store = memoryStore();
  await using before = await agentOf(store, [counting('limits', '1.2.0')]);
  await before.run('Go', { sessionId: 's' });
  await submitRun(store, 's', 'More');
  await using after = await agentOf(store, []);
  const { events } = await collectEvents(after.streamResume('s'));
  expect(events).toContainEqual({
    type: 'warning',
    code: 'PLUGIN_GONE',
    plugin: 'limits',
    message: saying('The plugin limits 1.2.0 has state'),
  });
});

it('a plugin whose last run is unknown is called by its id', async () => {
  const store = memoryStore();
  await store.commit('s', 0, { state: { limits: { runs: { version: 1, value: 1 } } } });
  await using agent = await agentOf(store, []);
  expect(await warningsOf(agent)).toMatchObject([
    { plugin: 'limits', message: saying('The plugin limits (no version) has state') },
  ]);
});
