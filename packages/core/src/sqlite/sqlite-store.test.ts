import { expect, it } from 'vitest';

import { registerChecks } from '../../../testing/src/conformance.ts';
import { sqliteChecks } from '../../test/sqlite-checks.ts';
import { sqliteStore } from './sqlite-store.ts';

await registerChecks('a store', sqliteChecks('fast'));

it.each([
  [{ path: 'a.db' }, '{"path":"a.db"}'],
  [undefined, 'nothing'],
  ['', '""'],
])('a store without a path is refused, with what was given: %j', (path, shown) => {
  expect(() => sqliteStore(path as string)).toThrow(
    `sqliteStore takes the path of its file, but got ${shown}. Write, for example, sqliteStore('.shallot/sessions.db').`,
  );
});
