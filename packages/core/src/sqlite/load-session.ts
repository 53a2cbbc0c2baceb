import { decodeText } from '../base/encode-text.ts';
import type { Message } from '../contract/messages.ts';
import type { SessionRecord } from '../contract/store.ts';
import { checkFormat } from '../sessions/commit-checks.ts';
import type { Database } from './database.ts';
import { MessageReader } from './message-reader.ts';
import { readParts } from './read-parts.ts';
import { claimOf, findSession, type SessionRow } from './session-row.ts';

/** How often a session that changes while it is read is begun anew, until it is read in one go. */
const mostAttempts = 3;

/**
 * The whole record of a session, frozen and checked. A long one is read bit by bit, as reading and parsing hold the process up: its
 * revision shows whether it is still the same. @throws `STORE_DAMAGED`, `STORE_FORMAT`, `STORE_FAILED` when this process has no
 * room for it
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

/** Reads the messages that are left. Gives the row as it is then; undefined when the session has changed. */
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

function toRecord(row: SessionRow, parts: ReturnType<typeof readParts>, messages: Message[]): SessionRecord {
  // A claim is renewed without a new revision.
  const claim = claimOf(row);
  return Object.freeze({
    format: row.format,
    id: decodeText(row.session),
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    messages,
    ...parts,
    ...(claim === undefined ? {} : { claim }),
  });
}
