import { existsSync, rmSync } from 'node:fs';
import { dirname, sep } from 'node:path';

import { isShallotError } from '../base/errors.ts';
import { moveIfFree, newFileBeside } from '../base/whole-file.ts';
import { loadSqlite } from './load-sqlite.ts';
import { failed } from './sqlite-errors.ts';

/** The number of pages per step: all of them, so that the copy is one consistent state. */
const everyPage = 2 ** 31 - 1;

/**
 * Copies a database, including the content of its log, to a new file. Works off the main thread, on its own connection.
 * `patiently` repeats work that meets a lock.
 * @throws `STORE_FAILED` if the file exists, or cannot be written
 */
export async function backupDatabase(
  path: string,
  to: string,
  patiently: (work: () => void) => Promise<void>,
): Promise<void> {
  if (existsSync(to)) throw taken(path, to);
  const directory = dirname(to);
  if (!existsSync(`${directory}${sep}`)) {
    const advice = 'Create it, or name a file in another one';
    throw failed(path, `was not backed up: there is no directory ${directory}`, advice);
  }
  let temporary: string | undefined;
  try {
    temporary = newFileBeside(to);
    const { DatabaseSync, backup } = loadSqlite();
    const source = new DatabaseSync(path, { readOnly: true });
    try {
      // Fixes the state that is copied. Some versions of Node do not wait for locks while they copy.
      source.exec('BEGIN');
      await patiently(() => void source.prepare('SELECT count(*) FROM sqlite_schema').get());
      await backup(source, temporary, { rate: everyPage });
    } finally {
      source.close();
    }
    if (!moveIfFree(temporary, to)) throw taken(path, to);
  } catch (error) {
    if (isShallotError(error)) throw error;
    throw failed(path, `could not be backed up to ${to}`, 'Check that this file is writable', error);
  } finally {
    if (temporary !== undefined) rmSync(temporary, { force: true });
  }
}

function taken(path: string, to: string): Error {
  return failed(path, `was not backed up: ${to} already exists`, 'Name a file that does not exist');
}
