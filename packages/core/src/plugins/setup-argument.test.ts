import { expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { ChatModel } from '../contract/model.ts';
import type { PluginPlacement, PluginSetup } from '../contract/plugin.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';

/** Sets up a plugin with this placement. Returns the argument of its `setup`, and the agent. */
async function setupOf(
  place: Omit<PluginPlacement, 'use'> = {},
  more: Partial<Parameters<typeof createAgent>[0]> = {},
) {
  const given: PluginSetup[] = [];
  const plugin = definePlugin({ name: 'mine', setup: (setup) => void given.push(setup) })();
  const agent = await createAgent({
    log: 'silent',
    model: scriptedModel([]),
    ...more,
    plugins: [...(more.plugins ?? []), { use: plugin, ...place }],
  });
  const [setup] = given;
  if (setup === undefined) throw new Error('the plugin was not set up');
  return { agent, setup };
}

it('a hook is used if this or another plugin taps it, and no other hook is', async () => {
  const used: Record<string, boolean> = {};
  const tapping = definePlugin({
    name: 'tapping',
    setup({ hooks }) {
      hooks.afterModel.tap('x', () => {});
      used['own'] = hooks.afterModel.isUsed();
      used['none'] = hooks.beforeModel.isUsed();
    },
  })();
  const { agent, setup } = await setupOf({}, { plugins: [tapping] });
  expect(used).toEqual({ own: true, none: false });
  expect([setup.hooks.afterModel.isUsed(), setup.hooks.beforeModel.isUsed()]).toEqual([true, false]);
  await agent.close();
});

it('a model is taken as it is, and a name is resolved where the plugin is listed', async () => {
  const model: ChatModel = scriptedModel([]);
  const named = scriptedModel([]);
  const { agent, setup } = await setupOf();
  expect(await setup.resolveModel(model)).toBe(model);
  await expect(setup.resolveModel('acme/small')).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    plugin: 'mine',
    message: '"acme/small" names a model, which works in a config file only. Give mine the ChatModel itself.',
  });
  await agent.close();
  const names: unknown[] = [];
  const listed = await setupOf({ resolveModel: async (name) => (names.push(name), named) });
  expect(await listed.setup.resolveModel('acme/small')).toBe(named);
  expect(await listed.setup.resolveModel(model)).toBe(model);
  expect(names).toEqual(['acme/small']);
  await listed.agent.close();
});

it('places of options are those of their keys, for a plugin of a config', async () => {
  const plain = await setupOf();
  expect(plain.setup.locateOption).toBeUndefined();
  await plain.agent.close();
  const at = { file: 'shallot.config.json', line: 3, column: 5 };
  const { agent, setup } = await setupOf({
    locateOption: ([name], part) => ({ ...at, line: name === 'limit' && part === 'key' ? 3 : 4 }),
  });
  expect(setup.locateOption?.(['limit'])).toEqual(at);
  await agent.close();
});

it('the directory and the environment are those of its place, or of the process', async () => {
  const { agent, setup } = await setupOf();
  expect([setup.directory, setup.env]).toEqual([process.cwd(), process.env]);
  await agent.close();
  const env = { KEY: 'k' };
  const placed = await setupOf({ directory: '/srv', env });
  expect([placed.setup.directory, placed.setup.env]).toEqual(['/srv', env]);
  await placed.agent.close();
});

it('a session path is refused at its declaration', async () => {
  const declaring = definePlugin({
    name: 'mine',
    setup: ({ sessionPath }) => void sessionPath({ directory: 'notes' }),
  })();
  await expect(createAgent({ model: scriptedModel([]), plugins: [declaring] })).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    plugin: 'mine',
  });
});

it('a session path is not asked for after the run', async () => {
  let late: (() => Promise<string>) | undefined;
  const noting = definePlugin({
    name: 'noting',
    setup({ hooks, sessionPath }) {
      const path = sessionPath({ directory: '/notes', extension: '.md' });
      hooks.beforeModel.tap('note', (_, run) => void (late = () => path(run)));
    },
  })();
  const model = scriptedModel([{ text: 'x' }]);
  await using agent = await createAgent({ model, store: memoryStore(), plugins: [noting] });
  await agent.run('hello', { sessionId: 's' });
  await expect(late?.()).rejects.toMatchObject({
    code: 'RUN_ENDED',
    plugin: 'noting',
    message: expect.stringContaining('noting called sessionPath on a run that has ended') as string,
  });
});

it('what surrounds a run is called as its plugin', async () => {
  const lines: string[] = [];
  const plugin = definePlugin({
    name: 'around',
    setup: ({ aroundRun }) =>
      aroundRun(async (run, next) => {
        lines.push('begins');
        const result = await next();
        lines.push(`${run.sessionId} ends`);
        return result;
      }),
  })();
  await using agent = await createAgent({ model: scriptedModel([{ text: 'x' }]), plugins: [plugin] });
  await agent.run('hello', { sessionId: 's' });
  expect(lines).toEqual(['begins', 's ends']);
});

it('tools of a plugin for child runs alone are not offered', async () => {
  const model = scriptedModel([{ text: 'x' }]);
  const tool = { name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => 'x' };
  const plugin = definePlugin({ name: 'mine', setup: ({ tools }) => void tools.add(defineTool(tool)) })();
  for (const onlyChildren of [true, false]) {
    await using agent = await createAgent({ model, plugins: [{ use: plugin, onlyChildren }] });
    await agent.run('hello').catch(() => {});
  }
  expect(model.requests.map(({ tools }) => tools?.length)).toEqual([undefined, 1]);
});
