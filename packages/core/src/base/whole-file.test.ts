import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished, vi } from 'vitest';

import { createWhole, moveIfFree, newFileBeside } from './whole-file.ts';

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

/** Makes the file system refuse hard links. */
function refuseLinks(code: string): void {
  vi.spyOn(fs, 'linkSync').mockImplementation(() => {
    throw Object.assign(new Error(code), { code });
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
}

it.each(['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP'])(
  'a file is renamed where there are no hard links (%s), and takes the place of none',
  (code) => {
    refuseLinks(code);
    const root = makeRoot();
    const path = join(root, 'a.db');
    const [first, second] = [newFileBeside(path), newFileBeside(path)];
    writeFileSync(first, 'first');
    expect([moveIfFree(first, path), moveIfFree(second, path)]).toEqual([true, false]);
    expect(readFileSync(path, 'utf8')).toBe('first');
  },
);

it.each(['with hard links', 'without hard links'])('a file is created whole, and only once, %s', (links) => {
  if (links === 'without hard links') refuseLinks('EPERM');
  const root = makeRoot();
  const path = join(root, 'key');
  expect([createWhole(path, 'first'), createWhole(path, 'second')]).toEqual([true, false]);
  expect(readFileSync(path, 'utf8')).toBe('first');
  expect(readdirSync(root)).toEqual(['key']);
});

it('a file that cannot be linked for another reason stays', () => {
  refuseLinks('EIO');
  const root = makeRoot();
  const path = join(root, 'a.db');
  const made = newFileBeside(path);
  expect(() => moveIfFree(made, path)).toThrow('EIO');
  expect(readdirSync(root)).toEqual([made.slice(root.length + 1)]);
});
