import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

import { backupDatabase } from './backup-database.ts';
import { createDatabase } from './create-database.ts';
import { HeldFiles } from './held-files.ts';
import { loadSqlite } from './load-sqlite.ts';
import { migrate } from './migrate.ts';
import { networkFileSystem } from './network-file-system.ts';
import { isSafeWal, safeWalVersion } from './safe-wal.ts';
import { SharedTransactions } from './shared-transactions.ts';
import { damaged, failed, isBusy, storeError } from './sqlite-errors.ts';

/** The time that SQLite itself waits for a lock, which blocks the event loop. */
const inPlaceWaitMs = 5;

/**
 * The size of the log, in pages, from which SQLite moves its content into the database file within a commit. A quarter of
 * SQLite's default, because this blocks the process.
 */
const logPages = 250;

/** The idle time after which the log is moved into the database file. */
const idleMs = 1000;

/** The page size of new databases, SQLite's default. */
const pageBytes = 4096;

/** A database opened on first use, with its prepared statements. */
export class Database {
  readonly path: string;
  readonly #busyTimeoutMs: number;
  readonly #statements = new Map<string, StatementSync>();
  readonly #writes = new SharedTransactions({
    transact: (work) => this.#patiently(() => this.#write(work)),
    part: (work) => this.#part(work),
  });
  // A read has nothing to undo.
  readonly #reads = new SharedTransactions({
    transact: (work) => this.#patiently(() => this.#read(work)),
    part: (work) => work(),
  });
  #db: DatabaseSync | undefined;
  #files: HeldFiles | undefined;
  #isClosed = false;
  #hasSafeWal = true;
  /** True if another program with a newer SQLite put the database into WAL mode; reopening tries to leave that mode. */
  #isForeignWal = false;
  /** Set while the log may hold data that the database file lacks. */
  #idle: NodeJS.Timeout | undefined;

  constructor(path: string, busyTimeoutMs: number) {
    this.path = path;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  /** Writes in a transaction that other calls may share; creates the database if it is missing. */
  async write<T>(work: () => T): Promise<T> {
    this.#refuseClosed();
    return this.#writes.add(work);
  }

  /**
   * Reads one consistent state in a transaction that other calls may share. Returns undefined if there is no database
   * yet.
   */
  async read<T>(work: () => T): Promise<T | undefined> {
    this.#refuseClosed();
    return this.#reads.add(() => (this.#db === undefined ? undefined : work()));
  }

  /** Copies the whole database to a new file, without blocking writers. */
  async backup(to: string): Promise<void> {
    // Opens the database, which checks that it belongs to this store.
    const found = await this.read(() => this.prepare('SELECT 1').get());
    if (found === undefined) {
      throw failed(this.path, 'does not exist yet', 'There is nothing to back up before the first commit');
    }
    await backupDatabase(this.path, to, (work) => this.#patiently(work));
  }

  /** Returns a statement, prepared once. */
  prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#open().prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Waits for pending operations, then closes the database. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#writes.settled, this.#reads.settled]);
    this.#tidy();
    this.#release();
  }

  #write(work: () => void): void {
    if (this.#db !== undefined) this.#refuseMoved();
    else if (!existsSync(this.path)) createDatabase(this.path);
    this.#transaction('IMMEDIATE', work);
    this.#tidyWhenIdle();
  }

  #read(work: () => void): void {
    // Without a database there is nothing to read, and reading does not create one.
    if (this.#db === undefined && !existsSync(this.path)) work();
    else this.#transaction('DEFERRED', work);
  }

  #part<T>(work: () => T): T {
    this.prepare('SAVEPOINT part').run();
    try {
      return work();
    } catch (error) {
      // Some errors, such as a full disk, have already rolled back the transaction.
      if (this.#db?.isTransaction === true) this.prepare('ROLLBACK TO part').run();
      throw error;
    } finally {
      if (this.#db?.isTransaction === true) this.prepare('RELEASE part').run();
    }
  }

  #transaction<T>(kind: 'IMMEDIATE' | 'DEFERRED', work: () => T): T {
    const db = this.#open();
    db.exec(`BEGIN ${kind}`);
    try {
      if (!this.#hasSafeWal) this.#refuseWal(db);
      const result = work();
      db.exec('COMMIT');
      // The data was read from or committed to these files: other processes must find it at the path.
      this.#refuseMoved();
      return result;
    } finally {
      if (db.isTransaction) db.exec('ROLLBACK');
    }
  }

  /** Waits for locks without blocking the event loop, up to the time limit. */
  async #patiently<T>(work: () => T): Promise<T> {
    const deadline = performance.now() + this.#busyTimeoutMs;
    for (;;) {
      try {
        return work();
      } catch (error) {
        if (this.#isForeignWal) this.#release();
        if (!isBusy(error) || performance.now() > deadline) throw storeError(this.path, error);
      }
      await sleep(1 + Math.random() * 10);
    }
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw failed(this.path, 'was closed', 'Do not use a store after closing it');
  }

  #open(): DatabaseSync {
    if (this.#db !== undefined) return this.#db;
    // SQLite keeps its log beside the target of a link.
    const file = realpathSync(this.path);
    const network = networkFileSystem(dirname(file));
    if (network !== undefined) {
      throw failed(
        this.path,
        `is on a network file system (${network})`,
        'Its locks are not reliable. Use a local disk',
      );
    }
    this.#checkSize(file);
    const { DatabaseSync } = loadSqlite();
    const found = new HeldFiles(this.path);
    const db = new DatabaseSync(this.path, { timeout: inPlaceWaitMs });
    try {
      migrate(db, this.path);
      db.exec('PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF');
      // Deleted data is overwritten, so that free pages do not contain it.
      db.exec('PRAGMA secure_delete = ON');
      this.#hasSafeWal = isSafeWal(sqliteVersion(db));
      if (this.#hasSafeWal) db.exec(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = ${logPages}`);
      else this.#leaveWal(db);
      // The first read opens or creates the log.
      db.prepare('SELECT count(*) FROM sqlite_schema').get();
      const log = this.#hasSafeWal ? [`${file}-wal`, `${file}-shm`] : [];
      this.#refuseMoved(found);
      this.#files = new HeldFiles(this.path, log);
    } catch (error) {
      db.close();
      throw error;
    }
    this.#db = db;
    return db;
  }

  /**
   * Refuses files that were moved: data written to them would be lost, and another process would create a new database at
   * the path.
   */
  #refuseMoved(files = this.#files): void {
    const moved = files?.findMoved();
    if (moved === undefined) return;
    throw failed(
      this.path,
      `is no longer the file that was opened: ${moved} was moved, removed, emptied or replaced while it was in use`,
      'Put the file back, or restart',
    );
  }

  #tidyWhenIdle(): void {
    if (!this.#hasSafeWal) return;
    this.#idle ??= setTimeout(() => {
      if (!this.#tidy()) this.#idle?.refresh();
    }, idleMs).unref();
    this.#idle.refresh();
  }

  /**
   * Moves the content of the log into the database file, and empties the log. Until then the file is incomplete without
   * the log, and SQLite would not notice if the log were truncated. Returns false if it must be tried again: while the
   * database is read, or without free space.
   */
  #tidy(): boolean {
    if (this.#db === undefined || this.#idle === undefined || this.#files?.findMoved() !== undefined)
      return true;
    try {
      return this.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0;
    } catch {
      // Fails without free space, for example: the log stays until the next attempt.
      return false;
    }
  }

  /** Checks the file size, because SQLite accepts an empty file as a new database, and a truncated last page. */
  #checkSize(file: string): void {
    const { size } = statSync(file);
    // Databases are created completely before they are moved to their path.
    if (size === 0) throw damaged(this.path, 'the file is empty');
    // With the log of a crash beside it, an incomplete file is valid: the log completes it.
    const hasLog = existsSync(`${file}-wal`) || existsSync(`${file}-journal`);
    if (!hasLog && size % pageBytes !== 0)
      throw damaged(this.path, `the file ends within a page, at ${size} bytes`);
  }

  /** Uses a rollback journal with a SQLite whose WAL mode is not safe. This is slower. */
  #leaveWal(db: DatabaseSync): void {
    try {
      db.exec('PRAGMA journal_mode = DELETE');
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    this.#refuseWal(db);
  }

  /** Refuses a database in WAL mode. Called for each transaction, because another process can change the mode. */
  #refuseWal(db: DatabaseSync): void {
    const [mode] = Object.values(db.prepare('PRAGMA journal_mode').get() ?? {});
    this.#isForeignWal = mode === 'wal';
    if (!this.#isForeignWal) return;
    throw failed(
      this.path,
      `is shared with a process that has a newer SQLite, in a mode in which ${sqliteVersion(db)} can damage it`,
      `Use a Node with SQLite ${safeWalVersion} or later, or end the other process`,
    );
  }

  #release(): void {
    clearTimeout(this.#idle);
    this.#idle = undefined;
    this.#statements.clear();
    this.#db?.close();
    this.#db = undefined;
    this.#files = undefined;
  }
}

function sqliteVersion(db: DatabaseSync): string {
  return String(db.prepare('SELECT sqlite_version() AS version').get()?.['version']);
}
