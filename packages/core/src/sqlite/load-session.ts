import { decodeText } from '../base/encode-text.ts';
import type { Message } from '../contract/messages.ts';
import type { MessagesFrom, SessionHead, SessionRecord } from '../contract/store.ts';
import { checkFormat } from '../sessions/stores/commit-checks.ts';
import type { Database } from './database.ts';
import { MessageReader, messagesBackTo } from './message-reader.ts';
import { readParts } from './read-parts.ts';
import { aboutOf, claimOf, findSession, type SessionRow } from './session-row.ts';

/** The maximum number of attempts to read a session that changes meanwhile; the last one reads it in one transaction. */
const mostAttempts = 3;

/**
 * Returns the whole record of a session, frozen and checked; undefined if there is none. A long session is read in
 * slices, because reading and parsing block the process; its revision shows if it has changed in between. @throws
 * `STORE_DAMAGED`, `STORE_FORMAT`, `STORE_FAILED` if this process has not enough memory for it
 */
export async function loadSession(database: Database, sessionId: string): Promise<SessionRecord | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const begun = await database.read(() => {
      const row = findSession(database, sessionId);
      if (row === undefined) return undefined;
      checkFormat(sessionId, row.format);
      const messages = new MessageReader(database, row);
      messages.read(attempt < mostAttempts);
      return { parts: readParts(database, row), messages, row };
    });
    if (begun === undefined) return undefined;
    const row = await readOn(database, sessionId, begun);
    if (row !== undefined) return toRecord(row, begun.parts, begun.messages.checked());
  }
}

/** Reads the remaining messages. Returns the current row; undefined if the session has changed. */
async function readOn(
  database: Database,
  sessionId: string,
  { row, messages }: { readonly row: SessionRow; readonly messages: MessageReader },
): Promise<SessionRow | undefined> {
  let latest: SessionRow | undefined = row;
  while (!messages.isDone && latest !== undefined) {
    latest = await database.read(() => {
      const found = findSession(database, sessionId);
      if (found?.revision !== row.revision) return undefined;
      messages.read(true);
      return found;
    });
  }
  return latest;
}

/**
 * Loads all of a session but its messages; undefined if there is no such session. @throws `STORE_DAMAGED`,
 * `STORE_FORMAT`
 */
export async function loadHead(database: Database, sessionId: string): Promise<SessionHead | undefined> {
  return database.read(() => {
    const row = findSession(database, sessionId);
    if (row === undefined) return undefined;
    checkFormat(sessionId, row.format);
    return Object.freeze(headOf(row, readParts(database, row)));
  });
}

/** Loads the message with this id and those after it; undefined if there is no such message. @throws `STORE_DAMAGED` */
export async function loadMessagesFrom(
  database: Database,
  sessionId: string,
  messageId: string,
): Promise<MessagesFrom | undefined> {
  return database.read(() => {
    const row = findSession(database, sessionId);
    const messages = row && messagesBackTo(database, row, messageId);
    return row && messages && { revision: row.revision, messages };
  });
}

function headOf(row: SessionRow, parts: ReturnType<typeof readParts>): SessionHead {
  // The row is the latest one, because a claim can be renewed without a new revision.
  const claim = claimOf(row);
  const about = aboutOf(row);
  return {
    format: row.format,
    id: decodeText(row.session),
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...parts,
    ...(claim === undefined ? {} : { claim }),
    ...(about === undefined ? {} : { about }),
    ...(row.stop === 1 ? { stopRequested: true } : {}),
  };
}

function toRecord(row: SessionRow, parts: ReturnType<typeof readParts>, messages: Message[]): SessionRecord {
  return Object.freeze({ ...headOf(row, parts), messages });
}
