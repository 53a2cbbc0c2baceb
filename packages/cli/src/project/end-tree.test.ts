import { expect, it } from 'vitest';

import { endTree } from './end-tree.ts';
import { ownTree } from './own-tree.ts';

it('a process has a group of its own, where there are groups', () => {
  expect(ownTree('linux')).toEqual({ detached: true, windowsHide: true });
  expect(ownTree('darwin')).toEqual({ detached: true, windowsHide: true });
  expect(ownTree('win32')).toEqual({ detached: false, windowsHide: true });
});

it.each([
  ['linux', ['kill -7 SIGTERM']],
  ['darwin', ['kill -7 SIGTERM']],
  ['win32', ['taskkill /pid 7 /T /F']],
] as const)('a process is ended with all that it started on %s', (platform, calls) => {
  const called: string[] = [];
  endTree(7, 'SIGTERM', {
    platform,
    kill: (pid, signal) => void called.push(`kill ${pid} ${signal}`),
    run: (program, args) => void called.push([program, ...args].join(' ')),
  });
  expect(called).toEqual(calls);
});

it('a process that has ended, or never began, is no error', () => {
  const gone = (): never => {
    throw new Error('ESRCH');
  };
  expect(() => endTree(7, 'SIGKILL', { platform: 'linux', kill: gone, run: gone })).not.toThrow();
  expect(() => endTree(undefined, 'SIGKILL', { platform: 'win32', kill: gone, run: gone })).not.toThrow();
});
