import { encodeText, parseFrozen } from '../base/encode-text.ts';
import { maxInboxEntries, type InboxEntry, type InboxFilter } from '../contract/work/inbox.ts';
import { takesMessages } from '../sessions/stores/due-at.ts';
import { inboxFull } from '../sessions/stores/inbox-full.ts';
import { checksum } from './checksum.ts';
import type { Database } from './database.ts';
import { findSession } from './session-row.ts';
import { damaged } from './sqlite-errors.ts';

/** An entry of the inbox, as it is stored. */
interface InboxRow {
  readonly session_id: number;
  readonly id: string;
  readonly after: string | null;
  /** The entry as JSON. */
  readonly entry: string;
  readonly crc: number;
}

/**
 * Adds an entry. Returns false if there is no such session, or its last run cannot take the entry. @throws
 * `INBOX_FULL`, `STORE_DAMAGED`
 */
export function addToInbox(database: Database, sessionId: string, entry: InboxEntry): boolean {
  const row = findSession(database, sessionId);
  if (row === undefined || !takesMessages(row.status)) return false;
  const waiting = database.prepare('SELECT id FROM inbox WHERE session_id = ?').all(row.id);
  const id = encodeText(entry.id);
  if (waiting.some((other) => other['id'] === id)) return true;
  if (waiting.length >= maxInboxEntries) throw inboxFull(sessionId);
  const added: Omit<InboxRow, 'crc'> = {
    session_id: row.id,
    id,
    after: entry.after === undefined ? null : encodeText(entry.after),
    entry: JSON.stringify(entry),
  };
  database
    .prepare(
      'INSERT INTO inbox (session_id, id, after, held, entry, crc) VALUES (:session_id, :id, :after, 0, :entry, :crc)',
    )
    .run({ ...added, crc: checksumOf(added) });
  return true;
}

function checksumOf({ session_id: session, id, after, entry }: Omit<InboxRow, 'crc'>): number {
  return checksum(session, id, entry, ...(after === null ? [] : [after]));
}

/** Returns the matching entries of an inbox, in the order in which they were sent. @throws `STORE_DAMAGED` */
export function readInbox(
  database: Database,
  sessionId: string,
  { run, ids }: InboxFilter,
): readonly InboxEntry[] {
  const session = encodeText(sessionId);
  const found = database
    .prepare(
      'SELECT inbox.* FROM inbox JOIN sessions ON sessions.id = session_id WHERE session = ? ORDER BY number',
    )
    .all(session);
  const entries: InboxEntry[] = [];
  // STRICT columns have these types.
  for (const row of found as readonly object[] as readonly InboxRow[]) {
    if (row.crc !== checksumOf(row))
      throw damaged(database.path, `a message that was sent to session "${session}" was altered`);
    if (run !== undefined && row.after === encodeText(run)) continue;
    // The checksum proves that it is what was written.
    const entry = parseFrozen(row.entry) as InboxEntry;
    if (ids?.includes(entry.id) !== false) entries.push(entry);
  }
  return entries;
}

/** Returns the matching entries, and holds them: they can no longer be withdrawn. */
export function holdInbox(database: Database, sessionId: string, filter: InboxFilter): readonly InboxEntry[] {
  const entries = readInbox(database, sessionId, filter);
  const hold = database.prepare(
    'UPDATE inbox SET held = 1 WHERE id = ? AND session_id = (SELECT id FROM sessions WHERE session = ?)',
  );
  for (const { id } of entries) hold.run(encodeText(id), encodeText(sessionId));
  return entries;
}

/** Removes an entry. Returns false if there is none, or it is held. */
export function removeFromInbox(database: Database, sessionId: string, id: string): boolean {
  const { changes } = database
    .prepare(
      'DELETE FROM inbox WHERE id = ? AND held = 0 AND session_id = (SELECT id FROM sessions WHERE session = ?)',
    )
    .run(encodeText(id), encodeText(sessionId));
  return changes > 0;
}

/** Removes the entries that a commit has taken. */
export function takeFromInbox(database: Database, id: number, taken: readonly string[]): void {
  const take = database.prepare('DELETE FROM inbox WHERE session_id = ? AND id = ?');
  for (const entry of taken) take.run(id, encodeText(entry));
}

/** Returns true if entries are in the inbox of a session. */
export function hasSent(database: Database, id: number): boolean {
  return database.prepare('SELECT 1 FROM inbox WHERE session_id = ? LIMIT 1').get(id) !== undefined;
}
