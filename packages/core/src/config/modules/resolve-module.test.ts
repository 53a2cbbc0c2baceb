import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { importFound } from './resolve-module.ts';

const at = { file: '/app/shallot.config.yaml', line: 3, column: 5 };

function makeModule(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-resolve-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'broken.mjs');
  writeFileSync(file, text);
  return file;
}

it('a module that fails blames the plugin that the config names there', async () => {
  const file = makeModule("throw new Error('no tea');");
  const failing = importFound({ file }, { directory: '/app', at, plugin: './broken.mjs' });
  await expect(failing).rejects.toMatchObject({ code: 'MODULE_FAILED', plugin: './broken.mjs' });
});

it('a module that fails where no plugin is named blames none', async () => {
  const file = makeModule("throw new Error('no tea');");
  const error: unknown = await importFound({ file }, { directory: '/app', at }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: 'MODULE_FAILED' });
  expect(error).not.toHaveProperty('plugin', expect.anything());
});

it('a module that works gives its exports', async () => {
  const found = { file: makeModule('export const tea = 1;') };
  expect(await importFound(found, { directory: '/app', at, plugin: 'p' })).toMatchObject({ tea: 1 });
});
