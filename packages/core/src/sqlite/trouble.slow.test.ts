import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';

import { idsOf, message, messages, withoutTimes } from '../../../testing/src/store/store-samples.ts';
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

  test('prints no warning that something is experimental, and keeps other warnings', () => {
    const script = `
      const { sqliteStore } = await import(${JSON.stringify(import.meta.resolve('./index.ts'))});
      await sqliteStore(${JSON.stringify(newPath())}).commit('s', 0, {});
      process.emitWarning('kept');`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
    });
    expect(stderr).toContain('Warning: kept');
    expect(stderr).not.toContain('xperimental');
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

  test('never gives other data than was committed when a bit is flipped', async () => {
    const path = await newDatabase();
    const store = sqliteStore(path);
    const expected = [withoutTimes(await store.load('a')), withoutTimes(await store.load('b'))];
    await store.close?.();
    const good = readFileSync(path);
    let found = 0;
    for (let at = 0; at < good.length; at += 331) {
      const bytes = Buffer.from(good);
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (at % 8)), at);
      writeFileSync(path, bytes);
      const damaged = sqliteStore(path);
      const loaded = await Promise.all([damaged.load('a'), damaged.load('b')]).then(
        (records) => records.map(withoutTimes),
        codeOf,
      );
      expect([expected, 'STORE_DAMAGED']).toContainEqual(loaded);
      if (loaded === 'STORE_DAMAGED') found += 1;
      await damaged.close?.();
      for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    }
    expect(found).toBeGreaterThan(20);
  });

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

test('a database that is moved away while it is in use is not begun anew', async () => {
  const path = newPath();
  const store = sqliteStore(path);
  await store.commit('s', 0, {});
  renameSync(path, `${path}.moved`);
  await expect(store.commit('s', 1, {})).rejects.toMatchObject({ code: 'STORE_FAILED' });
  expect(existsSync(path)).toBe(false);
  renameSync(`${path}.moved`, path);
  expect(await store.commit('s', 1, {})).toBe(2);
  await store.close?.();
});

test('a lock of another process is waited for, then named, without holding this one up', async () => {
  const path = await newDatabase();
  const hold = `
    const { DatabaseSync } = require('node:sqlite');
    const db = new DatabaseSync(${JSON.stringify(path)});
    db.exec('BEGIN IMMEDIATE');
    process.send('held');
    process.on('message', () => { db.exec('COMMIT'); db.close(); process.disconnect(); });`;
  const holder = spawn(process.execPath, ['--no-warnings', '--eval', hold], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(holder, 'exit');
  await once(holder, 'message');
  const impatient = sqliteStore(path, { busyTimeoutMs: 200 });
  const patient = sqliteStore(path);
  let ticks = 0;
  const ticking = setInterval(() => (ticks += 1), 5);
  await expect(impatient.commit('a', 1, {})).rejects.toMatchObject({ code: 'STORE_FAILED', transient: true });
  clearInterval(ticking);
  expect(ticks).toBeGreaterThan(1);
  const committed = patient.commit('a', 1, {});
  holder.send('release');
  expect(await committed).toBe(2);
  await Promise.all([exited, impatient.close?.(), patient.close?.()]);
});

// The superuser writes where nobody may.
test.skipIf(process.getuid?.() === 0)('a read-only database is named, and stays', async () => {
  const path = await newDatabase();
  chmodSync(path, 0o400);
  chmodSync(dirname(path), 0o500);
  const store = sqliteStore(path);
  await expect(store.commit('a', 1, {})).rejects.toMatchObject({ code: 'STORE_FAILED' });
  chmodSync(dirname(path), 0o700);
  chmodSync(path, 0o600);
  expect(await sqliteStore(path).load('a')).toMatchObject({ revision: 1 });
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
