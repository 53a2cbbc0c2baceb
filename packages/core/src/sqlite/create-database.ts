import { rmSync } from 'node:fs';
import { dirname } from 'node:path';

import { moveIfFree, newFileBeside } from '../base/whole-file.ts';
import { makeDirectory } from '../files/make-directory.ts';
import { loadSqlite } from './load-sqlite.ts';
import { migrate } from './migrate.ts';

/** Creates an empty database that only its owner can read. If another process created it first, that one is kept. */
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
