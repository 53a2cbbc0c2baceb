import { checksum } from './checksum.ts';
import type { Database } from './database.ts';
import { damaged } from './sqlite-errors.ts';

/** More than the number of commits of any session. */
const beyondAny = 2 ** 32;

/** The id of the only row of `deleted`. */
const only = 1;

/** Returns the highest revision of all deleted sessions; new sessions start above it. @throws `STORE_DAMAGED` */
export function lastDeleted(database: Database): number {
  const row = database.prepare('SELECT revision, crc FROM deleted WHERE id = ?').get(only);
  const revision = Number(row?.['revision']);
  if (row?.['crc'] === checksum(only, String(revision))) return revision;
  throw damaged(database.path, 'what it says of deleted sessions was altered');
}

/**
 * Notes the revision of a deleted session, above which new sessions start. If it is undefined, because the row was
 * damaged, it notes one above any that the session can have had.
 */
export function noteDeleted(database: Database, revision: number | undefined): void {
  const last = lastDeleted(database);
  const noted = revision === undefined ? last + beyondAny : Math.max(last, revision);
  database
    .prepare('UPDATE deleted SET revision = ?, crc = ? WHERE id = ?')
    .run(noted, checksum(only, String(noted)), only);
}
