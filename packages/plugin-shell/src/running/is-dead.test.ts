import { expect, it } from 'vitest';

import { isDead } from './is-dead.ts';

it('is not known of a group on platforms without /proc', async () => {
  // Without a platform given, an empty group counts as dead on Linux alone.
  const empty = 2 ** 22 + 1;
  expect(await isDead(empty, 'linux')).toBe(process.platform === 'linux');
  expect(await isDead(empty, 'darwin')).toBe(false);
});
