import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { expect, it, onTestFinished, vi } from 'vitest';

import { listDirectory } from './list-directory.ts';
import { OpenDirectory } from './open-directory.ts';

/** A directory with these files, which are empty. */
function rootWith(...paths: readonly string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'shallot-list-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '');
  }
  return root;
}

async function listed(root: string, path: string, options: Parameters<typeof listDirectory>[2] = {}) {
  const entries = await listDirectory(root, path, options);
  return entries.map(({ path: found, kind, link }) => `${kind} ${found}${link === true ? ' (link)' : ''}`);
}

it('one level is listed, or all', async () => {
  const root = rootWith('a/b/c.md', 'a/d.md', 'e.md', '.shallot-0123456789abcdef.tmp');
  expect(await listed(root, '/')).toEqual(['directory /a', 'file /e.md']);
  expect(await listed(root, '/a')).toEqual(['directory /a/b', 'file /a/d.md']);
  expect(await listed(root, '/', { recursive: true })).toEqual([
    'directory /a',
    'directory /a/b',
    'file /a/b/c.md',
    'file /a/d.md',
    'file /e.md',
  ]);
});

it('a missing directory is empty, and a file is none', async () => {
  const root = rootWith('a.md');
  expect(await listed(root, '/none')).toEqual([]);
  expect(await listed(join(root, 'none'), '/')).toEqual([]);
  expect(await listed(root, '/a.md/b')).toEqual([]);
  await expect(listed(root, '/a.md')).rejects.toMatchObject({ code: 'FILE_KIND' });
  await expect(listed(join(root, 'a.md'), '/')).rejects.toThrow('ENOTDIR');
});

it('links are listed as what they lead to, and those that lead nowhere with all', async () => {
  const root = rootWith('a/b.md');
  symlinkSync('a', join(root, 'directory'));
  symlinkSync('a/b.md', join(root, 'file'));
  symlinkSync('none', join(root, 'nowhere'));
  symlinkSync('..', join(root, 'out'));
  const inside = ['directory /a', 'directory /directory (link)', 'file /file (link)'];
  expect(await listed(root, '/')).toEqual(inside);
  expect(await listed(root, '/', { all: true })).toEqual([
    ...inside,
    'other /nowhere (link)',
    'other /out (link)',
  ]);
  expect(await listed(root, '/', { recursive: true })).toEqual([
    'directory /a',
    'file /a/b.md',
    ...inside.slice(1),
  ]);
  await expect(listed(root, '/directory', { noLinks: true })).rejects.toMatchObject({ code: 'FILE_PATH' });
});

it.each(['ENOENT', 'ENOTDIR', 'ELOOP', 'EMFILE'])(
  'a directory that cannot be opened any more is left out if it is gone (%s)',
  async (code) => {
    const root = rootWith('a/b.md', 'c/d.md');
    const { open } = OpenDirectory.prototype;
    const spy = vi.spyOn(OpenDirectory.prototype, 'open').mockImplementation(function (
      this: OpenDirectory,
      name,
    ) {
      if (name === 'a') throw Object.assign(new Error(code), { code });
      return open.call(this, name);
    });
    onTestFinished(() => spy.mockRestore());
    const found = await listed(root, '/', { recursive: true }).catch(String);
    const left = ['directory /a', 'directory /c', 'file /c/d.md'];
    expect(found).toEqual(code === 'EMFILE' ? 'Error: EMFILE' : left);
  },
);
