import fs, { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { ShallotError } from '../base/errors.ts';
import { Database } from './database.ts';
import { loadSqlite } from './load-sqlite.ts';
import { isSafeWal } from './safe-wal.ts';

const { DatabaseSync } = loadSqlite();
const isSafe = isSafeWal(process.versions.sqlite ?? '');

function openedDatabase(busyTimeoutMs = 1000): { readonly database: Database; readonly path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-database-'));
  const path = join(folder, 'sessions.db');
  const database = new Database(path, busyTimeoutMs);
  onTestFinished(async () => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { database, path };
}

async function settingOf(database: Database, name: string): Promise<unknown> {
  const row = await database.write(() => database.prepare(`PRAGMA ${name}`).get());
  return Object.values(row ?? {})[0];
}

const settings = {
  // The milliseconds for which a lock of another connection may block this process.
  busy_timeout: 5,
  synchronous: 2,
  cell_size_check: 1,
  trusted_schema: 0,
  secure_delete: 1,
  ...(isSafe ? { journal_mode: 'wal', wal_autocheckpoint: 250 } : { journal_mode: 'delete' }),
};

describe('a database', () => {
  it.each(Object.entries(settings))('is opened with %s %s', async (name, value) => {
    expect(await settingOf(openedDatabase().database, name)).toBe(value);
  });

  it('prepares a statement once', async () => {
    const { database } = openedDatabase();
    const sql = 'SELECT 1';
    const [first, second] = await database.write(() => [database.prepare(sql), database.prepare(sql)]);
    expect(second).toBe(first);
  });

  it('is not made by a reader, which finds nothing', async () => {
    const { database, path } = openedDatabase();
    expect(await database.read(() => 'found')).toBeUndefined();
    expect(existsSync(path)).toBe(false);
    await database.write(() => {});
    expect(await database.read(() => 'found')).toBe('found');
  });

  it('undoes what a refused part has written, and keeps the parts beside it', async () => {
    const { database } = openedDatabase();
    const add = (duty: string) => (): void => {
      const sql = "INSERT INTO duties (duty, terms, first_at, asked_at) VALUES (?, '', 0, 0)";
      database.prepare(sql).run(duty);
      if (duty === 'b') throw new ShallotError('STORE_CONFLICT', { message: 'refused' });
    };
    const settled = await Promise.allSettled(['a', 'b', 'c'].map((duty) => database.write(add(duty))));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const rows = await database.read(() => database.prepare('SELECT duty FROM duties').all());
    expect(rows?.map(({ duty }) => duty)).toEqual(['a', 'c']);
  });

  it('takes no more work once it is closed', async () => {
    const { database } = openedDatabase();
    await database.write(() => {});
    await database.close();
    const closed = { code: 'STORE_FAILED', message: expect.stringContaining('was closed') as string };
    await expect(database.write(() => {})).rejects.toMatchObject(closed);
    await expect(database.read(() => {})).rejects.toMatchObject(closed);
  });

  it('is refused on a network file system', async () => {
    const { database } = openedDatabase();
    const type = vi.spyOn(fs, 'statfsSync').mockReturnValue({ type: 0x6969 } as never);
    syncBuiltinESMExports();
    onTestFinished(() => {
      type.mockRestore();
      syncBuiltinESMExports();
    });
    await expect(database.write(() => {})).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringMatching(
        /is on a network file system \(NFS\)\. Its locks are not reliable/,
      ) as string,
    });
  });
});

describe('a database that another connection has locked', () => {
  async function locked(busyTimeoutMs: number) {
    const { database, path } = openedDatabase(busyTimeoutMs);
    await database.write(() => {});
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    return { database, other };
  }

  it('is written once the lock is gone', async () => {
    const { database, other } = await locked(60_000);
    const writing = database.write(() => 'written');
    setTimeout(() => other.exec('COMMIT'), 10);
    expect(await writing).toBe('written');
  });

  it('is named when the time for that is over', async () => {
    const { database, other } = await locked(20);
    const before = performance.now();
    await expect(database.write(() => {})).rejects.toMatchObject({
      code: 'STORE_FAILED',
      transient: true,
      message: expect.stringContaining('is locked by another process') as string,
    });
    expect(performance.now() - before).toBeGreaterThan(19);
    other.exec('COMMIT');
    await database.write(() => {});
  });
});

describe('with a SQLite whose WAL mode is not safe', () => {
  /** Makes SQLite name an older version. */
  function pretendOldSqlite(): void {
    const prepare = DatabaseSync.prototype.prepare;
    const spy = vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function old(
      this: InstanceType<typeof DatabaseSync>,
      sql: string,
    ) {
      return prepare.call(this, sql.replace('sqlite_version()', "'3.50.4'"));
    });
    onTestFinished(() => spy.mockRestore());
  }

  it('a database has a rollback journal, and no log', async () => {
    pretendOldSqlite();
    const { database, path } = openedDatabase();
    expect(await settingOf(database, 'journal_mode')).toBe('delete');
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it('a database that was in WAL mode leaves it', async () => {
    const { database, path } = openedDatabase();
    await database.write(() => {});
    await database.close();
    pretendOldSqlite();
    const again = new Database(path, 1000);
    onTestFinished(() => again.close());
    expect(await settingOf(again, 'journal_mode')).toBe('delete');
  });

  it('a database that another process keeps in WAL mode is refused until that is over', async () => {
    const { path } = openedDatabase();
    pretendOldSqlite();
    const database = new Database(path, 1000);
    onTestFinished(() => database.close());
    await database.write(() => {});
    const other = new DatabaseSync(path);
    other.exec('PRAGMA journal_mode = WAL; BEGIN; SELECT count(*) FROM sessions');
    const refusal = {
      code: 'STORE_FAILED',
      message: expect.stringMatching(
        /is shared with a process that has a newer SQLite, in a mode in which 3\.50\.4 can damage it\. Use a Node with SQLite 3\.51\.3 or later, or end the other process\.$/,
      ) as string,
    };
    await expect(database.write(() => {})).rejects.toMatchObject(refusal);
    await expect(database.read(() => {})).rejects.toMatchObject(refusal);
    other.close();
    expect(await settingOf(database, 'journal_mode')).toBe('delete');
  });
});
