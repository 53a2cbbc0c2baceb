import { expect, it } from 'vitest';

import { ShallotError } from '../base/errors.ts';
import type { Files } from './files.ts';
import { memoryFiles } from './memory-files.ts';
import { belowRoot, fullPath, rootedPath } from './rooted-path.ts';

/** Files whose root is a directory of this machine, which has these files. */
async function filesAt(root: string, ...paths: readonly string[]): Promise<Files> {
  const files = memoryFiles();
  for (const path of paths) await files.write(path, 'a');
  return { ...files, root };
}

it.each([
  ['win32', 'C:\\work', 'C:\\work\\src\\a.ts', '/src/a.ts'],
  ['win32', 'C:\\work', 'c:/Work/src/a.ts', '/src/a.ts'],
  ['win32', 'C:\\work', 'C:\\work', '/'],
  ['win32', 'C:\\work', 'C:\\work\\..\\x', '/../x'],
  ['win32', 'C:\\work', 'C:\\worker\\a.ts', '/C:\\worker\\a.ts'],
  ['win32', 'C:\\work', 'src/a.ts', '/src/a.ts'],
  ['linux', '/opt/work', '/opt/work/src/a.ts', '/src/a.ts'],
  ['linux', '/opt/work', '/opt/work', '/'],
  ['linux', '/opt/work', '/OPT/work/src/a.ts', '/OPT/work/src/a.ts'],
  ['linux', '/opt/work', '/opt/worker/a.ts', '/opt/worker/a.ts'],
  ['linux', '/opt/work', '/opt/work/../x', '/opt/x'],
  ['linux', '/', '/src/a.ts', '/src/a.ts'],
  // The root has a directory that is called as its own path begins.
  ['linux', '/home/work', '/home/work/b.ts', '/b.ts'],
  ['linux', '/home/work', '/home/work', '/'],
] as const)('on %s, with files in %s, %s is %s', async (platform, root, path, expected) => {
  const files = await filesAt(root, '/home/a.ts');
  expect(await rootedPath(path, files, platform)).toBe(expected);
});

it('A path that the files have as it is written is that one', async () => {
  const files = await filesAt('/home/work', '/home/work/a.ts');
  expect(await rootedPath('/home/work/a.ts', files, 'linux')).toBe('/home/work/a.ts');
  expect(await rootedPath('/home/work', files, 'linux')).toBe('/home/work');
  expect(await rootedPath('/home/work/b.ts', files, 'linux')).toBe('/b.ts');
});

it.each([
  ['FILE_KIND', '/home/work/a'],
  ['FILE_PROTECTED', '/home/work/a'],
  ['FILE_PATH', '/a'],
] as const)('A path that the files refuse with %s is %s', async (code, expected) => {
  const stat = () => Promise.reject(new ShallotError(code, { message: 'no' }));
  expect(await rootedPath('/home/work/a', { root: '/home/work', stat }, 'linux')).toBe(expected);
});

it('A path is not taken for another when the files fail', async () => {
  const stat = () => Promise.reject(new Error('no disk'));
  await expect(rootedPath('/home/work/a', { root: '/home/work', stat }, 'linux')).rejects.toThrow('no disk');
});

it('A pattern of the machine keeps its stars', () => {
  expect(belowRoot('/opt/work/src/**/*.ts', '/opt/work', 'linux')).toBe('/src/**/*.ts');
  expect(belowRoot('C:\\work\\src\\*.ts', 'C:\\work', 'win32')).toBe('/src/*.ts');
  expect(belowRoot('**/*.ts', '/opt/work', 'linux')).toBeUndefined();
  expect(belowRoot('/a', undefined)).toBeUndefined();
});

it('A path that leads out of the root stays as it is', () => {
  expect(fullPath('a//./x/../b/')).toBe('/a/b');
  expect(fullPath('a/../../b')).toBe('a/../../b');
});
