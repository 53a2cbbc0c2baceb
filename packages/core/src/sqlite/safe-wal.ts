import { ShallotError } from '../base/errors.ts';

/** The first SQLite without the WAL-reset bug (https://www.sqlite.org/wal.html#walresetbug). */
const safeWal = [3, 51, 3] as const;

/** The version as text. */
export const safeWalVersion = safeWal.join('.');

/** Returns true if this version of SQLite can safely share a database in WAL mode. */
export function isSafeWal(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, least] of safeWal.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

/** Returns warnings about using a database with this version of SQLite. */
export function walWarnings(path: string, version: string): readonly ShallotError[] {
  if (isSafeWal(version)) return [];
  const message =
    `The session database ${path} is slow: this Node has SQLite ${version}, which can damage a database in WAL mode, so ` +
    `a rollback journal is used, and commits take several times as long. Use a Node with SQLite ${safeWalVersion} or later: ` +
    '22.22.3, 24.15, 25.9, 26 or a later version.';
  return [new ShallotError('STORE_SLOW', { message })];
}
