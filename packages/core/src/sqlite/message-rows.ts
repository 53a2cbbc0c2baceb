import type { Message } from '../contract/messages.ts';
import { checksum } from './checksum.ts';
import type { Database } from './database.ts';

/**
 * Messages are ordered by `position`, a whole number with room between two neighbours, so that replacing some by more
 * does not touch those that follow. 2^16 leaves room for 2^37 messages under JavaScript's largest safe integer.
 */
const gap = 65_536;

/** Appends messages. */
export function appendMessages(database: Database, sessionId: number, messages: readonly Message[]): void {
  const last = database
    .prepare('SELECT max(position) AS last FROM messages WHERE session_id = ?')
    .get(sessionId);
  let position = Number(last?.['last'] ?? 0);
  for (const message of messages) {
    position += gap;
    insertMessage(database, sessionId, position, message);
  }
}

/** Replaces the messages from `from` to before `to`, of `count` in total. */
export function replaceMessages(
  database: Database,
  sessionId: number,
  count: number,
  {
    from,
    to,
    messages,
  }: { readonly from: number; readonly to: number; readonly messages: readonly Message[] },
): void {
  const before = from === 0 ? 0 : positionAt(database, sessionId, from - 1, count);
  const after = to === count ? undefined : positionAt(database, sessionId, to, count);
  database
    .prepare('DELETE FROM messages WHERE session_id = ? AND position > ? AND position < ?')
    .run(sessionId, before, after ?? Number.MAX_SAFE_INTEGER);
  if (after === undefined) return appendMessages(database, sessionId, messages);
  const room = after - before - 1;
  const step = room >= messages.length ? Math.floor((after - before) / (messages.length + 1)) : gap;
  if (room < messages.length) shiftFrom(database, sessionId, after, gap * (messages.length + 1));
  for (const [index, message] of messages.entries()) {
    insertMessage(database, sessionId, before + step * (index + 1), message);
  }
}

/** Returns the position of the message at an index, counted from the nearer end. */
function positionAt(database: Database, sessionId: number, index: number, count: number): number {
  const isNearStart = index < count / 2;
  const row = database
    .prepare(
      `SELECT position FROM messages WHERE session_id = ?
       ORDER BY position ${isNearStart ? 'ASC' : 'DESC'} LIMIT 1 OFFSET ?`,
    )
    .get(sessionId, isNearStart ? index : count - 1 - index);
  if (row === undefined) throw new Error(`message ${index} of ${count} is missing`);
  return Number(row['position']);
}

/** Moves all messages from a position on, through negative numbers, because positions are unique at every moment. */
function shiftFrom(database: Database, sessionId: number, position: number, by: number): void {
  database
    .prepare('UPDATE messages SET position = -position WHERE session_id = ? AND position >= ?')
    .run(sessionId, position);
  database
    .prepare(
      'UPDATE messages SET position = :by - position, crc = crc + :by WHERE session_id = :id AND position < 0',
    )
    .run({ by, id: sessionId });
}

function insertMessage(database: Database, sessionId: number, position: number, message: Message): void {
  const text = JSON.stringify(message);
  database
    .prepare('INSERT INTO messages (session_id, position, message, crc) VALUES (?, ?, ?, ?)')
    .run(sessionId, position, text, messageChecksum(sessionId, position, text));
}

/** Returns a checksum that includes the position, so that a damaged index cannot change the order unnoticed. */
export function messageChecksum(sessionId: number, position: number, text: string): number {
  return checksum(sessionId, text) + position;
}
