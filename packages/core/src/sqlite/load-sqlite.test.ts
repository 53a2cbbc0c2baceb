import { expect, it, onTestFinished, vi } from 'vitest';

import { loadSqlite } from './load-sqlite.ts';

it.each<readonly [readonly [string, string?], boolean]>([
  [['SQLite is an experimental feature', 'ExperimentalWarning'], false],
  [['SQLite is an old feature', 'DeprecationWarning'], true],
  [['Blobs are an experimental feature', 'ExperimentalWarning'], true],
  [['SQLite is there'], true],
])('loading node:sqlite prints the warning %j: %s', (warning, isPrinted) => {
  const emitted = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const sqlite = {} as ReturnType<typeof loadSqlite>;
  const load = vi.spyOn(process, 'getBuiltinModule').mockImplementation(() => {
    Reflect.apply(process.emitWarning, process, warning);
    return sqlite;
  });
  onTestFinished(() => void [emitted, load].map((spy) => spy.mockRestore()));
  const before = Reflect.get(process, 'emitWarning');
  expect(loadSqlite()).toBe(sqlite);
  expect(emitted.mock.calls).toEqual(isPrinted ? [warning] : []);
  expect(Reflect.get(process, 'emitWarning')).toBe(before);
});
