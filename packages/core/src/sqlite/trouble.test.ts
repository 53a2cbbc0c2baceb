import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';

import { idsOf, message, messages } from '../../../testing/src/store/store-samples.ts';
import { isShallotError } from '../base/errors.ts';
import type { Store } from '../contract/store.ts';
import { loadSqlite } from './load-sqlite.ts';
import { sqliteStore } from './sqlite-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'shallot-trouble-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { DatabaseSync } = loadSqlite();

let count = 0;
function newPath(): string {
  count += 1;
  return join(folder, String(count), 'sessions.db');
}

/** A database with two sessions that nobody has open. */
async function newDatabase(): Promise<string> {
  const path = newPath();
  const store = sqliteStore(path);
  for (const id of ['a', 'b']) {
    await store.commit(id, 0, {
      append: Array.from({ length: 40 }, (_, index) => message(`${id}${index}`, 'text '.repeat(50))),
      state: { p: { k: { version: 1, value: id } } },
      journal: { j: { type: 'once', value: id } },
    });
  }
  await store.close?.();
  return path;
}

describe('opening', () => {
  test('is left until it is needed, and reading makes nothing', async () => {
    const path = newPath();
    const store = sqliteStore(path);
    expect(await store.load('s')).toBeUndefined();
    expect(await store.delete('s')).toBe(false);
    for await (const session of store.list()) expect.fail(`${session.id} is listed`);
    expect(existsSync(dirname(path))).toBe(false);
    await store.close?.();
  });

  test('makes a file that only its owner can read, and leaves nothing else after closing', async () => {
    const path = newPath();
    const store = sqliteStore(path);
    await store.commit('s', 0, {});
    for (const file of readdirSync(dirname(path))) {
      expect(statSync(join(dirname(path), file)).mode & 0o777).toBe(0o600);
    }
    await store.close?.();
    expect(readdirSync(dirname(path))).toEqual(['sessions.db']);
  });

  test('is refused after closing', async () => {
    const store = sqliteStore(newPath());
    await store.commit('s', 0, {});
    await store.close?.();
    await expect(store.load('s')).rejects.toMatchObject({ code: 'STORE_FAILED' });
  });
});

describe('a file that is not a whole database of this version', () => {
  test.each([0, 1, 100, 4096, 5000, 8192, 20_000, 30_000, -1])(
    'is refused and left when it was truncated to %d bytes',
    async (bytes) => {
      const path = await newDatabase();
      const whole = statSync(path).size;
      truncateSync(path, bytes < 0 ? whole + bytes : bytes);
      expect(await refusals(path)).toEqual({ codes: ['STORE_DAMAGED', 'STORE_DAMAGED'], isLeft: true });
    },
  );

  test('is refused and left when it is no database', async () => {
    const path = await newDatabase();
    writeFileSync(path, 'not a database '.repeat(1000).slice(0, 8192));
    expect(await refusals(path)).toEqual({ codes: ['STORE_DAMAGED', 'STORE_DAMAGED'], isLeft: true });
  });

  test('is refused and left when it is of a newer version', async () => {
    const path = await newDatabase();
    const db = new DatabaseSync(path);
    db.exec('PRAGMA journal_mode = DELETE; PRAGMA user_version = 99');
    db.close();
    expect(await refusals(path)).toEqual({ codes: ['STORE_FORMAT', 'STORE_FORMAT'], isLeft: true });
  });

  test("is refused and left when it is another program's", async () => {
    const path = newPath();
    mkdirSync(dirname(path));
    const db = new DatabaseSync(path);
    db.exec('CREATE TABLE songs (name TEXT)');
    db.close();
    expect(await refusals(path)).toEqual({ codes: ['STORE_FAILED', 'STORE_FAILED'], isLeft: true });
  });

  test('is refused when it is a directory', async () => {
    const path = newPath();
    mkdirSync(path, { recursive: true });
    await expect(sqliteStore(path).load('s')).rejects.toMatchObject({ code: 'STORE_FAILED' });
  });
});

test('what was committed is there after a crash that left only the log', async () => {
  const path = newPath();
  const store = sqliteStore(path);
  await store.commit('s', 0, { append: messages('a', 'b') });
  const copy = newPath();
  mkdirSync(dirname(copy));
  // An older SQLite works without a log.
  for (const suffix of ['', '-wal'])
    if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix);
  const copied = sqliteStore(copy);
  expect(idsOf(await copied.load('s'))).toEqual(['a', 'b']);
  await copied.close?.();
  await store.close?.();
});

/** Returns the errors of reading and writing, and whether the file is unchanged afterwards. */
async function refusals(
  path: string,
): Promise<{ readonly codes: readonly unknown[]; readonly isLeft: boolean }> {
  const before = readFileSync(path);
  const codes: unknown[] = [];
  const attempts = [
    (store: Store) => store.load('a'),
    (store: Store) => store.commit('a', 1, { append: messages('x') }),
  ];
  for (const attempt of attempts) {
    const store = sqliteStore(path);
    codes.push(await attempt(store).then(() => 'nothing', codeOf));
    await store.close?.();
  }
  return { codes, isLeft: readFileSync(path).equals(before) };
}

function codeOf(error: unknown): unknown {
  return isShallotError(error) ? error.code : error;
}
