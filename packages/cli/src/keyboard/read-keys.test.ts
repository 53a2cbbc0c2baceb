import { expect, it } from 'vitest';

import { canSuspend } from './read-keys.ts';

it.each([
  ['linux', true],
  ['darwin', true],
  ['win32', false],
] as const)('on %s, Ctrl-Z suspends the command: %s', (platform, does) => {
  expect(canSuspend(platform)).toBe(does);
});
