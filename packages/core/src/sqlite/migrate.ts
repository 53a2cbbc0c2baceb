import type { DatabaseSync } from 'node:sqlite';

import { ShallotError } from '../base/errors.ts';
import { applicationId, migrations } from './schema.ts';
import { failed } from './sqlite-errors.ts';

/**
 * Migrates a database to the current schema. @throws `STORE_FORMAT` for a newer schema, `STORE_FAILED` for the database
 * of another program; both are left untouched
 */
export function migrate(db: DatabaseSync, path: string): void {
  if (checkVersion(db, path) === migrations.length) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have migrated it during the wait.
    for (const migration of migrations.slice(checkVersion(db, path))) db.exec(migration);
    db.exec(`PRAGMA user_version = ${migrations.length}; PRAGMA application_id = ${applicationId}`);
    db.exec('COMMIT');
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

function checkVersion(db: DatabaseSync, path: string): number {
  const version = pragma(db, 'user_version');
  const isOurs = pragma(db, 'application_id') === applicationId;
  if (
    !isOurs &&
    (version > 0 || Number(db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.['n']) > 0)
  ) {
    throw failed(path, 'belongs to another program', 'Choose another path for the store');
  }
  if (version > migrations.length) {
    throw new ShallotError('STORE_FORMAT', {
      message:
        `The session database ${path} has schema version ${version}; this version of Shallot supports ` +
        `${migrations.length}. It was left unchanged. Update @shallot/core, or choose another path.`,
    });
  }
  return version;
}

function pragma(db: DatabaseSync, name: 'user_version' | 'application_id'): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
}
