import { expect, test } from 'vitest';

import { isSafeWal } from './database.ts';

test.each([
  ['3.51.2', false],
  ['3.50.9', false],
  ['2.99.99', false],
  ['3.51.3', true],
  ['3.52.0', true],
  ['3.51.10', true],
  ['4.0.0', true],
])('WAL with SQLite %s is safe to share: %s', (version, isSafe) => {
  expect(isSafeWal(version)).toBe(isSafe);
});
