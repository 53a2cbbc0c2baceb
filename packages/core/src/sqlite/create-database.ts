import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

import { makeDirectory } from '../make-directory.ts';
import { loadSqlite } from './load-sqlite.ts';
import { migrate } from './migrate.ts';

/**
 * Makes an empty database that only its owner can read. It is made beside its place and moved there whole, so that
 * no other process, and no crash, meets half of one; if another process was quicker, that one's stays.
 */
export function createDatabase(path: string): void {
  makeDirectory(dirname(path));
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  closeSync(openSync(temporary, 'wx', 0o600));
  try {
    const { DatabaseSync } = loadSqlite();
    const db = new DatabaseSync(temporary);
    try {
      db.exec('PRAGMA synchronous = FULL');
      migrate(db, temporary);
    } finally {
      db.close();
    }
    moveIfFree(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function moveIfFree(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (existsSync(to)) return;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // A file system without hard links: two processes that get here at once are unlikely enough.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS' && code !== 'EOPNOTSUPP') throw error;
    renameSync(from, to);
  }
}
