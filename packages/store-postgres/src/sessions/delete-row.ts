import { checkRevision, encodeText, type DeleteOptions } from '@shallot/core/store';

import type { Database } from '../database/database.ts';
import { digestOf } from './commit-session.ts';

/**
 * Deletes a session, and those of its child runs. Returns false if there is no such session. @throws `STORE_CONFLICT` if
 * its revision is not `ifRevision`
 */
export async function deleteRow(
  database: Database,
  sessionId: string,
  { ifRevision }: DeleteOptions = {},
): Promise<boolean> {
  const digest = digestOf(encodeText(sessionId));
  const sessions = `${database.schema}.sessions`;
  // The lock waits for a commit in progress, so that the revision after this commit is compared. The notes of a child
  // run name its root. A quote inside a value would have a backslash before it.
  const rows = await database.query(
    `WITH RECURSIVE root AS (
       SELECT id, session FROM ${sessions} WHERE digest = $1 AND ($2::bigint IS NULL OR revision = $2) FOR UPDATE
     ), tree AS (
       SELECT id, session FROM root
       UNION SELECT s.id, s.session FROM ${sessions} s JOIN tree ON s.parent = tree.session
         WHERE s.about LIKE '%"root":"%'
     )
     DELETE FROM ${sessions} WHERE id IN (SELECT id FROM tree) RETURNING id`,
    [digest, ifRevision ?? null],
  );
  if (rows.length > 0) return true;
  if (ifRevision === undefined) return false;
  const [found] = await database.query<{ readonly revision: number }>(
    `SELECT revision::float8 AS revision FROM ${database.schema}.sessions WHERE digest = $1`,
    [digest],
  );
  if (found !== undefined) checkRevision(sessionId, ifRevision, found.revision);
  return false;
}
