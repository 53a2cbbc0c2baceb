import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { diskFiles } from './disk-files.ts';

test('a directory is removed with the links in it, which are not followed', async () => {
  const root = mkdtempSync(join(tmpdir(), 'shallot-remove-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const folder of ['gone/deep', 'kept']) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'kept/file'), 'kept');
  writeFileSync(join(root, 'gone/deep/file'), 'gone');
  symlinkSync('../kept', join(root, 'gone/link'));
  symlinkSync(tmpdir(), join(root, 'gone/deep/outside'));
  symlinkSync('kept', join(root, 'link'));
  const files = diskFiles(root);
  expect(await files.remove('/gone/', { recursive: true })).toBe(true);
  expect(await files.remove('/link', { recursive: true })).toBe(true);
  expect(readdirSync(root)).toEqual(['kept']);
  expect(existsSync(join(root, 'kept/file'))).toBe(true);
});
