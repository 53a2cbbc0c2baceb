import { expect, it } from 'vitest';

import { sqliteStore } from './sqlite-store.ts';

it.each([
  [{ path: 'a.db' }, '{"path":"a.db"}'],
  [undefined, 'nothing'],
  ['', '""'],
])('a store without a path is refused, with what was given: %j', (path, shown) => {
  expect(() => sqliteStore(path as string)).toThrow(
    `sqliteStore takes the path of its file, but got ${shown}. Write, for example, sqliteStore('.shallot/sessions.db').`,
  );
});
