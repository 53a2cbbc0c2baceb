import { rmSync } from 'node:fs';
import { dirname } from 'node:path';

import { makeDirectory } from '../files/make-directory.ts';
import { loadSqlite } from './load-sqlite.ts';
import { migrate } from './migrate.ts';
import { moveIfFree, newFileBeside } from './whole-file.ts';

/** Makes an empty database that only its owner can read; if another process was quicker, that one's stays. */
export function createDatabase(path: string): void {
  makeDirectory(dirname(path));
  const temporary = newFileBeside(path);
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
