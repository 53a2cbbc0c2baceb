import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { moveIfFree, newFileBeside } from './whole-file.ts';

function makeRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'shallot-whole-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

it('a file is made beside its path, for its owner alone, and moved there once', () => {
  const root = makeRoot();
  const path = join(root, 'a.db');
  const first = newFileBeside(path);
  const second = newFileBeside(path);
  expect(readdirSync(root)).toHaveLength(2);
  expect((statSync(first).mode & 0o777).toString(8)).toBe('600');
  writeFileSync(first, 'first');
  writeFileSync(second, 'second');
  expect([moveIfFree(first, path), moveIfFree(second, path)]).toEqual([true, false]);
  expect(readFileSync(path, 'utf8')).toBe('first');
});

it('a file that is missing cannot be moved', () => {
  const root = makeRoot();
  expect(() => moveIfFree(join(root, 'none'), join(root, 'a.db'))).toThrow('ENOENT');
});
