import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';

import { idsOf, messages } from '../../../testing/src/store/store-samples.ts';
import type { SessionRecord } from '../contract/store.ts';
import { loadSqlite } from './load-sqlite.ts';
import { isSafeWal } from './safe-wal.ts';
import { sqliteStore, type SqliteStore } from './sqlite-store.ts';

const { DatabaseSync } = loadSqlite();

afterEach(() => void vi.useRealTimers());

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-idle-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'sessions.db');
}

function openedStore(path: string): SqliteStore {
  const store = sqliteStore(path);
  onTestFinished(() => store.close());
  return store;
}

/** Returns a session from the database file alone. Another process copies it, as closing a file gives up this process's locks. */
async function alone(path: string): Promise<SessionRecord | undefined> {
  const copy = newPath();
  execFileSync('cp', [path, copy]);
  const store = sqliteStore(copy);
  try {
    return await store.load('s');
  } finally {
    await store.close();
  }
}

function logSize(path: string): number | undefined {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size;
}

// An older SQLite works without a log.
describe.runIf(isSafeWal(process.versions.sqlite ?? ''))('the log', () => {
  test('is empty, and the file whole without it, a second after the last commit', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const path = newPath();
    const store = openedStore(path);
    await store.commit('s', 0, { append: messages('a') });
    vi.advanceTimersByTime(999);
    await store.commit('s', 1, { append: messages('b') });
    vi.advanceTimersByTime(999);
    expect(logSize(path)).toBeGreaterThan(0);
    vi.advanceTimersByTime(1);
    expect(logSize(path)).toBe(0);
    expect(idsOf(await alone(path))).toEqual(['a', 'b']);

    await store.commit('s', 2, { append: messages('c') });
    expect(logSize(path)).toBeGreaterThan(0);
    vi.advanceTimersByTime(1000);
    expect(logSize(path)).toBe(0);
    expect(idsOf(await alone(path))).toEqual(['a', 'b', 'c']);
  });

  test('is emptied once nobody reads any more, and commits go on meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const path = newPath();
    const store = openedStore(path);
    await store.commit('s', 0, {});
    const reader = new DatabaseSync(path);
    reader.exec('BEGIN; SELECT * FROM sessions');
    await store.commit('s', 1, { append: messages('a') });
    vi.advanceTimersByTime(3000);
    expect(logSize(path)).toBeGreaterThan(0);
    expect(await store.commit('s', 2, { append: messages('b') })).toBe(3);
    vi.advanceTimersByTime(3000);
    expect(logSize(path)).toBeGreaterThan(0);
    reader.exec('COMMIT');
    reader.close();
    vi.advanceTimersByTime(1000);
    expect(logSize(path)).toBe(0);
    expect(idsOf(await alone(path))).toEqual(['a', 'b']);
  });

  test('is left alone when the database is another one by now', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const path = newPath();
    const store = openedStore(path);
    await store.commit('s', 0, {});
    const held = `${path}.moved`;
    for (const suffix of ['', '-wal']) renameSync(path + suffix, held + suffix);
    vi.advanceTimersByTime(3000);
    expect(logSize(held)).toBeGreaterThan(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is left to its writer by a store that has only read', async () => {
    const path = newPath();
    const writer = openedStore(path);
    await writer.commit('s', 0, {});
    const reader = sqliteStore(path);
    expect(await reader.load('s')).toMatchObject({ revision: 1 });
    await reader.close();
    expect(logSize(path)).toBeGreaterThan(0);
  });

  test('is emptied by closing, also while another process has the database open', async () => {
    const path = newPath();
    const store = sqliteStore(path);
    await store.commit('s', 0, { append: messages('a') });
    const other = new DatabaseSync(path);
    other.prepare('SELECT count(*) FROM sessions').get();
    await store.close();
    expect(logSize(path)).toBe(0);
    expect(idsOf(await alone(path))).toEqual(['a']);
    other.close();
  });

  test('that was cut off is a shorter one for SQLite', async () => {
    const path = newPath();
    const store = openedStore(path);
    for (let revision = 0; revision < 20; revision += 1)
      await store.commit('s', revision, { append: messages(`m${revision}`) });
    const copy = newPath();
    execFileSync('cp', [path, copy]);
    execFileSync('cp', [`${path}-wal`, `${copy}-wal`]);
    truncateSync(`${copy}-wal`, statSync(`${copy}-wal`).size / 2);
    const cut = openedStore(copy);
    const record = await cut.load('s');
    expect(record?.revision).toBeLessThan(20);
    expect(record?.messages).toHaveLength(record?.revision ?? 0);
  });
});

test('closing leaves one file, which is whole', async () => {
  const path = newPath();
  const store = sqliteStore(path);
  await store.commit('s', 0, { append: messages('a') });
  await store.close();
  expect(readdirSync(join(path, '..'))).toEqual(['sessions.db']);
  expect(idsOf(await alone(path))).toEqual(['a']);
});

test('closing leaves nothing that waits', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const store = sqliteStore(newPath());
  await store.commit('s', 0, {});
  await store.close();
  expect(vi.getTimerCount()).toBe(0);
});
