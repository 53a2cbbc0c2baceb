import { expect, it } from 'vitest';

import { ownGroup } from './end-process.ts';

it.each([
  ['linux', true],
  ['darwin', true],
  ['win32', false],
] as const)('on %s, a server leads a group of its own: %s', (platform, detached) => {
  expect(ownGroup(platform)).toEqual({ detached, windowsHide: true });
});
