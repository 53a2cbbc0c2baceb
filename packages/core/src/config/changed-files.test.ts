import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { evaluator, makeProject, toolModule } from '../../test/test-project.ts';
import { defineTool } from '../contract/tool.ts';
import { loadAgent } from './load-agent.ts';
import { loadConfig } from './load-config.ts';
import type { ChangedFile } from './read/refuse-changed.ts';

const files = {
  'shallot.config.yaml':
    'model: offline\ntools: [./tools/*.mjs]\ninstructions: { file: ./instructions.md }\n',
  'instructions.md': 'Be brief.',
  'tools/look.mjs': toolModule('look'),
};

/** Loads an agent whose tool does something past the file service. */
function loadWith(directory: string, act: () => void) {
  const tool = defineTool({
    name: 'act',
    description: 'Acts.',
    input: { type: 'object' },
    execute: () => {
      act();
      return 'done';
    },
  });
  const model = scriptedModel([{ toolCalls: [{ name: 'act', args: {} }] }, { text: 'Done.' }]);
  return loadAgent({ cwd: directory, model, tools: [tool] });
}

/** Runs an agent whose tool does something past the file service. */
async function runWith(act: (directory: string) => void, more: Readonly<Record<string, string>> = {}) {
  const { directory } = makeProject({ ...files, ...more });
  const { agent } = await loadWith(directory, () => act(directory));
  await agent.run('Go.');
  await agent.close();
  return { directory, records: () => readdirSync(join(directory, '.shallot', 'loaded')) };
}

const changes = [
  ['the config', 'changed', 'shallot.config.yaml'],
  ['instructions', 'changed', 'instructions.md'],
  ['a module', 'changed', 'tools/look.mjs'],
  ['a new module that a glob fits', 'added', 'tools/more.mjs'],
  ['a new .env', 'added', '.env'],
] as const;

it.each(changes)(
  '%s, %s while a session ran, is not loaded unless somebody accepts it',
  async (_, change, name) => {
    const { directory, records } = await runWith((root) => writeFileSync(join(root, name), 'tampered: true'));
    const path = join(directory, name);
    await expect(loadConfig({ cwd: directory })).rejects.toMatchObject({
      code: 'FILE_CHANGED',
      message: expect.stringContaining(`${path} was ${change}`) as string,
    });
    const shown: (readonly ChangedFile[])[] = [];
    const decide = (isAccepted: boolean) => (found: readonly ChangedFile[]) => {
      shown.push(found);
      return isAccepted;
    };
    await expect(loadConfig({ cwd: directory, onChangedFiles: decide(false) })).rejects.toThrow(
      'Nothing was loaded',
    );
    // Some of these files say nothing that could be loaded.
    await loadConfig({ cwd: directory, onChangedFiles: decide(true) }).catch(() => undefined);
    expect(shown).toEqual([[{ path, change }], [{ path, change }]]);
    expect(records()).toEqual([]);
  },
);

it('A file that people change while no session runs is loaded, and one that is put back', async () => {
  const { directory, records } = await runWith((root) => {
    writeFileSync(join(root, 'instructions.md'), 'tampered');
    writeFileSync(join(root, 'instructions.md'), files['instructions.md']);
  });
  expect(records()).toEqual([]);
  writeFileSync(join(directory, 'instructions.md'), 'Be long.');
  await loadConfig({ cwd: directory });
});

it('A change by the file service is not asked about: the service decides about it', async () => {
  const { directory } = makeProject({
    ...files,
    'shallot.config.yaml': `${files['shallot.config.yaml']}unlock: [/instructions.md]\n`,
  });
  const tool = defineTool({
    name: 'act',
    description: 'Acts.',
    input: { type: 'object' },
    execute: async (_, context) => {
      await context.files.write('/instructions.md', 'Be long.');
      return 'done';
    },
  });
  const model = scriptedModel([{ toolCalls: [{ name: 'act', args: {} }] }, { text: 'Done.' }]);
  const { agent } = await loadAgent({ cwd: directory, model, tools: [tool], plugins: [evaluator] });
  await agent.run('Go.');
  await agent.close();
  await expect(loadConfig({ cwd: directory })).resolves.toMatchObject({ directory });
});

it('A session that was cut off counts: its record is compared, and a damaged one refused', async () => {
  const { directory } = await runWith((root) => writeFileSync(join(root, 'instructions.md'), 'tampered'));
  const folder = join(directory, '.shallot', 'loaded');
  const [name = ''] = readdirSync(folder);
  writeFileSync(join(directory, 'instructions.md'), files['instructions.md']);
  await loadConfig({ cwd: directory });
  expect(existsSync(folder)).toBe(true);
  writeFileSync(join(folder, name), '{ "format": 1');
  await expect(loadConfig({ cwd: directory })).rejects.toMatchObject({ code: 'FILE_CHANGED' });
  rmSync(folder, { recursive: true });
  await loadConfig({ cwd: directory });
});

it('A file that a module requires counts', async () => {
  const module = `${files['tools/look.mjs']}\nimport { createRequire } from 'node:module';\ncreateRequire(import.meta.url)('../words.cjs');\n`;
  const { directory } = await runWith((root) => writeFileSync(join(root, 'words.cjs'), 'tampered()'), {
    'tools/look.mjs': module,
    'words.cjs': 'module.exports = [];',
  });
  await expect(loadConfig({ cwd: directory })).rejects.toMatchObject({ code: 'FILE_CHANGED' });
});

it('A module that an agent before has imported counts for the next one, too', async () => {
  const { directory } = makeProject({ ...files, 'b/shallot.config.yaml': 'tools: [../tools/look.mjs]\n' });
  const first = await loadWith(directory, () => {});
  const second = await loadWith(join(directory, 'b'), () =>
    writeFileSync(join(directory, 'tools', 'look.mjs'), 'tampered()'),
  );
  await second.agent.run('Go.');
  await expect(loadConfig({ cwd: join(directory, 'b') })).rejects.toMatchObject({ code: 'FILE_CHANGED' });
  await Promise.all([first.agent.close(), second.agent.close()]);
});

it('A run watches what its own agent was loaded from, of two that were loaded at once too', async () => {
  const [a, b] = [makeProject(files).directory, makeProject(files).directory];
  const tamper = (directory: string) => (): void =>
    writeFileSync(join(directory, 'instructions.md'), 'Be long.');
  const [first, second] = await Promise.all([loadWith(a, tamper(a)), loadWith(b, tamper(a))]);
  await second.agent.run('Go.');
  expect(existsSync(join(a, '.shallot', 'loaded'))).toBe(false);
  await first.agent.run('Go.');
  await expect(loadConfig({ cwd: b })).rejects.toMatchObject({ code: 'FILE_CHANGED' });
  await Promise.all([first.agent.close(), second.agent.close()]);
});
