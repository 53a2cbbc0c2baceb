import { expect, it } from 'vitest';

import { groupTarget, ownGroup } from './run-command.ts';

it.each([
  ['linux', true, -12],
  ['darwin', true, -12],
  ['win32', false, 12],
] as const)('on %s, a command has a group of its own: %s', (platform, detached, target) => {
  expect(ownGroup(platform)).toEqual({ detached, windowsHide: true });
  expect(groupTarget(12, platform)).toBe(target);
});
