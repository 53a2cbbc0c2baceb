import { checksum } from './checksum.ts';
import type { Database } from './database.ts';
import { damaged } from './sqlite-errors.ts';

/** More commits than any one session has. */
const beyondAny = 2 ** 32;

/** The row of `deleted`. */
const only = 1;

/** The last revision that a deleted session may have had: one that is begun has later ones only. */
export function lastDeleted(database: Database): number {
  const row = database.prepare('SELECT revision, crc FROM deleted WHERE id = ?').get(only);
  const revision = Number(row?.['revision']);
  if (row?.['crc'] === checksum(only, String(revision))) return revision;
  throw damaged(database.path, 'what it says of deleted sessions was altered');
}

/** Notes that a session is deleted; its revision is unknown when its row was altered. */
export function noteDeleted(database: Database, revision: number | undefined): void {
  const last = lastDeleted(database);
  const noted = revision === undefined ? last + beyondAny : Math.max(last, revision);
  database
    .prepare('UPDATE deleted SET revision = ?, crc = ? WHERE id = ?')
    .run(noted, checksum(only, String(noted)), only);
}
