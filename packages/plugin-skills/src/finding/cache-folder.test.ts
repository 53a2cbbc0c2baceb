import { homedir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { cacheFolder } from './cache-folder.ts';

it.each([
  ['linux', {}, '.cache'],
  ['linux', { XDG_CACHE_HOME: '' }, '.cache'],
  ['linux', { XDG_CACHE_HOME: 'relative' }, '.cache'],
  ['darwin', { XDG_CACHE_HOME: '/elsewhere' }, 'Library/Caches'],
  ['win32', { XDG_CACHE_HOME: '/elsewhere' }, 'AppData/Local'],
] as const)('on %s with %o caches are in ~/%s', (platform, env, folder) => {
  expect(cacheFolder(env, platform)).toBe(join(homedir(), folder, 'shallot', 'skills'));
});

it.each([
  ['linux', { XDG_CACHE_HOME: join('/elsewhere') }],
  ['win32', { LOCALAPPDATA: join('/elsewhere') }],
] as const)('on %s with %o caches are where the variable says', (platform, env) => {
  expect(cacheFolder(env, platform)).toBe(join('/elsewhere', 'shallot', 'skills'));
});
