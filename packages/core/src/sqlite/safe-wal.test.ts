import { expect, test } from 'vitest';

import { isSafeWal, walWarnings } from './safe-wal.ts';

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

test('a SQLite that must not use WAL is named, with what to do', () => {
  expect(walWarnings('/data/sessions.db', '3.53.0')).toEqual([]);
  const [warning, ...more] = walWarnings('/data/sessions.db', '3.50.4');
  expect(more).toEqual([]);
  expect(warning).toMatchObject({
    code: 'STORE_SLOW',
    message: expect.stringMatching(/\/data\/sessions\.db .*3\.50\.4.*3\.51\.3 or later/) as string,
  });
});
