import { memoryFiles, type Files } from '@shallot/core/files';
import { expect, it } from 'vitest';

import { belowRoot, fullPath } from './path.ts';

/** Files whose root is a directory of this machine, which has a directory `home`. */
async function filesAt(root: string): Promise<Files> {
  const files = memoryFiles();
  await files.write('/home/a.ts', 'a');
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
  ['linux', '/opt/work', '/OPT/work/src/a.ts', '/OPT/work/src/a.ts'],
  ['linux', '/opt/work', '/opt/worker/a.ts', '/opt/worker/a.ts'],
  ['linux', '/home/work', '/home/work/a.ts', '/home/work/a.ts'],
] as const)('on %s, with files in %s, %s is %s', async (platform, root, path, expected) => {
  expect(await belowRoot(fullPath(path), await filesAt(root), platform)).toBe(expected);
});
