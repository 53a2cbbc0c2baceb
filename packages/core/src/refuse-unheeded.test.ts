import { expect, it } from 'vitest';

import { scriptedModel } from '../../testing/src/scripted-model.ts';
import type { AgentOptions } from './contract/agent-options.ts';
import { definePlugin } from './contract/define-plugin.ts';
import { permissionEvaluatorKey } from './contract/permissions/permission-evaluator.ts';
import type { Plugin } from './contract/plugin.ts';
import { createAgent } from './create-agent.ts';
import { memoryFiles } from './files/memory-files.ts';

const person = { from: '~/permissions.yaml', ask: [], deny: ['shell'], maxMode: undefined };
const project = (...rules: readonly string[]) => ({
  from: '.shallot/permissions.json',
  list: () => rules,
  add: async () => {},
  remove: async () => false,
});
const unlockedFiles = { ...memoryFiles(), isUnlocked: () => true };

/** Returns the error that refuses an agent with these options; undefined if it is created. */
async function refusalOf(options: Partial<AgentOptions>): Promise<unknown> {
  try {
    await (await createAgent({ model: scriptedModel([]), log: 'silent', ...options })).close();
    return undefined;
  } catch (error) {
    return error;
  }
}

const unasked =
  '`unlock` opens protected files to tools, and no plugin asks a person about them: every call would be executed.';
const unheeded =
  'The agent has permissions, and no plugin that evaluates them: every call would be executed.';
const adviceForUnlock = 'Add an approval plugin, such as hitl, to its plugins, or remove `unlock`.';
const adviceForRules = 'Add an approval plugin, such as hitl, to its plugins.';

it.each<[string, Partial<AgentOptions>, string]>([
  ['permissions', { permissions: {} }, `${unheeded} ${adviceForRules}`],
  ['rules of a person', { permissionFiles: { person } }, `${unheeded} ${adviceForRules}`],
  ['kept rules', { permissionFiles: { project: project('edit') } }, `${unheeded} ${adviceForRules}`],
  ['unlocked files', { permissionFiles: { unlocked: ['a'] } }, `${unasked} ${adviceForUnlock}`],
  ['files that may be unlocked', { files: unlockedFiles }, `${unasked} ${adviceForUnlock}`],
  [
    'permissions and unlocked files',
    { permissions: {}, permissionFiles: { unlocked: ['a'] } },
    `${unheeded} ${adviceForRules}`,
  ],
  [
    'kept rules and unlocked files',
    { permissionFiles: { project: project('edit'), unlocked: ['a'] } },
    `${unheeded} ${adviceForRules}`,
  ],
])('an agent with %s and nobody to evaluate them is refused', async (_, options, message) => {
  const refusal = await refusalOf(options);
  expect(refusal).toMatchObject({ code: 'PERMISSIONS_UNHEEDED', message, errors: [] });
  expect(refusal).not.toHaveProperty('cause');
});

it.each<[string, Partial<AgentOptions>]>([
  ['no permissions', {}],
  ['no kept rules', { permissionFiles: { project: project(), unlocked: [] } }],
  ['locked files', { files: memoryFiles() }],
  ['files for each run', { files: () => memoryFiles() }],
])('an agent with %s needs nobody to evaluate them', async (_, options) => {
  expect(await refusalOf(options)).toBeUndefined();
});

function evaluating(stopped: string[] = []): Plugin {
  return definePlugin({
    name: 'approval',
    setup({ provide, onStop }) {
      // Nothing is judged here.
      provide(permissionEvaluatorKey, {} as never);
      onStop(() => void stopped.push('approval'));
    },
  })();
}

it('an agent with permissions and a plugin that evaluates them is created', async () => {
  expect(await refusalOf({ permissions: {}, plugins: [evaluating()] })).toBeUndefined();
});

it('plugins are stopped when their agent is refused, and a plugin that failed is named', async () => {
  const stopped: string[] = [];
  const failing = (name: string): Plugin =>
    definePlugin({
      name,
      setup() {
        throw new Error(`${name} has no network`);
      },
    })();
  const other = definePlugin({
    name: 'other',
    setup: ({ onStop }) => onStop(() => void stopped.push('other')),
  })();
  const plugins = [other, ...['first', 'second'].map((name) => ({ use: failing(name), optional: true }))];
  const refusal = await refusalOf({ permissions: {}, plugins });
  expect(refusal).toMatchObject({
    code: 'PERMISSIONS_UNHEEDED',
    message: expect.stringMatching(
      /Mend the plugin that was left out: PLUGIN_SETUP_FAILED \[first\]: .*first has no network/,
    ) as string,
    cause: { plugin: 'first' },
    errors: [{ plugin: 'first' }, { plugin: 'second' }],
  });
  expect(stopped).toEqual(['other']);
});
