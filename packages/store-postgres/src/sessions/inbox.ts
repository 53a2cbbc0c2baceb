import {
  encodeText,
  inboxFull,
  maxInboxEntries,
  parseFrozen,
  type InboxEntry,
  type InboxFilter,
} from '@shallot/core/store';

import type { Database } from '../database/database.ts';
import { digestOf } from './commit-session.ts';

/**
 * Adds an entry. Returns false if the session's last run cannot take it. The lock on the session's row lets no run end
 * meanwhile. @throws `INBOX_FULL`
 */
export async function addToInbox(database: Database, sessionId: string, entry: InboxEntry): Promise<boolean> {
  const { schema } = database;
  const [found] = await database.often<{ readonly waiting: number }>(
    `WITH session AS (
       SELECT id FROM ${schema}.sessions WHERE digest = $1 AND status IN ('running', 'interrupted') FOR SHARE
     ), inside AS (
       SELECT count(*) AS waiting FROM ${schema}.inbox WHERE session_id IN (SELECT id FROM session)
     ), sent AS (
       INSERT INTO ${schema}.inbox (session_id, digest, after, entry)
       SELECT session.id, $2, $3, $4 FROM session, inside WHERE waiting < $5 ON CONFLICT DO NOTHING
     )
     SELECT waiting::float8 AS waiting FROM session, inside`,
    [
      digestOf(encodeText(sessionId)),
      digestOf(encodeText(entry.id)),
      entry.after === undefined ? null : encodeText(entry.after),
      JSON.stringify(entry),
      maxInboxEntries,
    ],
  );
  if (found !== undefined && found.waiting >= maxInboxEntries) throw inboxFull(sessionId);
  return found !== undefined;
}

interface InboxRow extends Record<string, unknown> {
  readonly number: number;
  readonly entry: string;
}

/**
 * Returns the entries that match the filter, in the order in which they were sent. With `hold` they can no longer be
 * withdrawn.
 */
export async function readInbox(
  database: Database,
  sessionId: string,
  { run, ids, hold }: InboxFilter = {},
): Promise<readonly InboxEntry[]> {
  const { schema } = database;
  const fits = `session_id = s.id AND s.digest = $1 AND ($2::text IS NULL OR after IS DISTINCT FROM $2)
    AND ($3::bytea[] IS NULL OR i.digest = ANY ($3))`;
  const columns = 'i.number::float8 AS number, i.entry';
  const rows = await database.often<InboxRow>(
    hold === true
      ? `UPDATE ${schema}.inbox i SET held = true FROM ${schema}.sessions s WHERE ${fits} RETURNING ${columns}`
      : `SELECT ${columns} FROM ${schema}.inbox i, ${schema}.sessions s WHERE ${fits}`,
    [
      digestOf(encodeText(sessionId)),
      run === undefined ? null : encodeText(run),
      ids?.map((id) => digestOf(encodeText(id))) ?? null,
    ],
  );
  // The store wrote these entries.
  return rows.toSorted((a, b) => a.number - b.number).map(({ entry }) => parseFrozen(entry) as InboxEntry);
}

/** Removes an entry that is not held. */
export async function removeFromInbox(database: Database, sessionId: string, id: string): Promise<boolean> {
  const { schema } = database;
  const rows = await database.often(
    `DELETE FROM ${schema}.inbox i USING ${schema}.sessions s
     WHERE session_id = s.id AND s.digest = $1 AND i.digest = $2 AND NOT held RETURNING number`,
    [digestOf(encodeText(sessionId)), digestOf(encodeText(id))],
  );
  return rows.length > 0;
}
