import { resolve } from 'node:path';

import { expect, test } from 'vitest';

import { testFiles } from '../../../testing/src/files/test-files.ts';
import { diskFiles } from './disk-files.ts';
import type { Files } from './files.ts';
import { memoryFiles } from './memory-files.ts';
import { mountFiles } from './mount-files.ts';

await testFiles(() => mountFiles({ '/': memoryFiles() }));

test('a path belongs to the longest prefix, and is handed on without it', async () => {
  const [root, a, ab] = [memoryFiles(), memoryFiles(), memoryFiles()];
  const files = mountFiles({ '/': root, '/a/': a, '/a/b/': ab });
  await files.write('/a/b/c/d', 'ab');
  await files.append('/a/x', 'a');
  await files.write('/ab', 'root');
  expect(await ab.readText('/c/d')).toMatchObject({ text: 'ab' });
  expect(await a.readText('/x')).toMatchObject({ text: 'a' });
  expect(await root.readText('/ab')).toMatchObject({ text: 'root' });
  expect(await files.stat('/a/b/c/d')).toEqual(await ab.stat('/c/d'));
  expect(await files.remove('/a/x')).toBe(true);
  expect(await a.list('/')).toEqual([]);
});

test('a listing shows mounts as directories, and hides what they cover', async () => {
  const [root, deep] = [memoryFiles(), memoryFiles()];
  await root.write('/a/hidden', '');
  await root.write('/a/deep/hidden', '');
  await root.write('/seen', '');
  await deep.write('/inside/x', '');
  const files = mountFiles({ '/': root, '/a/deep/': deep });
  expect((await files.list('/')).map(({ path, kind }) => `${kind} ${path}`)).toEqual([
    'directory /a',
    'file /seen',
  ]);
  expect((await files.list('/', { recursive: true })).map(({ path }) => path)).toEqual([
    '/a',
    '/a/deep',
    '/a/deep/inside',
    '/a/deep/inside/x',
    '/a/hidden',
    '/seen',
  ]);
  expect(await files.list('/a/deep')).toEqual([{ path: '/a/deep/inside', kind: 'directory' }]);
});

test('a mount point is a directory, and a path under no mount is refused', async () => {
  const files = mountFiles({ '/a/b/': memoryFiles() });
  await expect(files.read('/a/b')).rejects.toMatchObject({ code: 'FILE_KIND' });
  await expect(files.write('/a', 'x')).rejects.toMatchObject({ code: 'FILE_KIND' });
  await expect(files.write('/A/b/c', 'x')).rejects.toMatchObject({ code: 'FILE_PATH' });
  await expect(files.write('/a/b/../x', 'x')).rejects.toMatchObject({ code: 'FILE_PATH' });
  for (const prefix of ['/a/', '/a/b/', '/a/b/c/'])
    expect(await mountFiles({ [prefix]: memoryFiles() }).list('/')).toEqual([
      { path: '/a', kind: 'directory' },
    ]);
});

test.each(['', 'a/', '/a', '/../'])('the prefix %j is refused', (prefix) => {
  expect(() => mountFiles({ [prefix]: memoryFiles() })).toThrow(/prefix|path/);
});

test('the root on this machine is that of the mount at /, if it has one', () => {
  const disk = diskFiles('/srv/notes');
  expect(disk.root).toBe(resolve('/srv/notes'));
  expect(mountFiles({ '/': disk, '/a/': memoryFiles() }).root).toBe(disk.root);
  expect(mountFiles({ '/a/': disk }).root).toBeUndefined();
  expect(mountFiles({ '/': memoryFiles(), '/a/': disk }).root).toBeUndefined();
});

test('what mounts can do beyond the least is done by the mount of the path', async () => {
  const calls: unknown[] = [];
  const able: Files = {
    ...memoryFiles(),
    realPath: async (path) => `/real${path}`,
    isUnlocked: (path, access) => (calls.push([path, access]), path === '/open'),
    protect: (glob, kind) => void calls.push([glob, kind]),
  };
  const files = mountFiles({ '/a/b/': able, '/c/': memoryFiles() });
  expect(await Promise.all(['/a/b/x', '/c/x', '/d/x'].map(async (path) => files.realPath?.(path)))).toEqual([
    '/a/b/real/x',
    '/c/x',
    '/d/x',
  ]);
  const unlocked = ['/a/b/open', '/a/b/shut', '/c/open', '/d'].map((path) =>
    files.isUnlocked?.(path, 'read'),
  );
  expect(unlocked).toEqual([true, false, false, false]);
  files.protect?.('/a/b/*.ts', 'source');
  files.protect?.('/c/*.ts', 'state');
  files.protect?.('/d/*.ts', 'state');
  expect(calls).toEqual([
    ['/open', 'read'],
    ['/shut', 'read'],
    ['/*.ts', 'source'],
  ]);
  expect('isUnlocked' in mountFiles({ '/c/': memoryFiles() })).toBe(false);
});

test('a listing of all is that of each mount, with the directories that lead to them', async () => {
  const [one, two] = [memoryFiles(), memoryFiles()];
  await one.write('/x', '');
  await two.write('/y', '');
  const files = mountFiles({ '/a/b/': one, '/a/b/c/d/': two });
  const all = async (path: string, recursive: boolean) =>
    (await files.list(path, { recursive })).map((entry) => entry.path);
  expect(await all('/', false)).toEqual(['/a']);
  expect(await all('/a', false)).toEqual(['/a/b']);
  expect(await all('/a/b', false)).toEqual(['/a/b/c', '/a/b/x']);
  const below = ['/a/b', '/a/b/c', '/a/b/c/d', '/a/b/c/d/y', '/a/b/x'];
  expect(await all('/', true)).toEqual(['/a', ...below]);
  expect(await all('/a/b', true)).toEqual(below.slice(1));
  expect(await all('/a/b/c/d', true)).toEqual(['/a/b/c/d/y']);
});
