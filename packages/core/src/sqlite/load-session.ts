import { getHeapStatistics } from 'node:v8';

import { decodeText } from '../base/encode-text.ts';
import type { Message } from '../contract/messages.ts';
import type { SessionRecord } from '../contract/store.ts';
import { checkFormat, quoteSession } from '../sessions/commit-checks.ts';
import type { Database } from './database.ts';
import { MessageReader } from './message-reader.ts';
import { readParts } from './read-parts.ts';
import { claimOf, findSession, type SessionRow } from './session-row.ts';
import { failed } from './sqlite-errors.ts';

/** How often a session that changes while it is read is begun anew, until it is read in one go. */
const mostAttempts = 3;

/**
 * The whole record of a session, frozen and checked. A long one is read bit by bit, as reading and parsing hold the process up: its
 * revision shows whether it is still the same. @throws `STORE_DAMAGED`, `STORE_FORMAT`
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
    refuseTooLarge(database, sessionId, messages.bytes);
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

/** A process that runs out of memory ends without a word. What is read is there as text and as messages, and more is needed to work with these. */
function refuseTooLarge(database: Database, sessionId: string, bytes: number): void {
  const limit = getHeapStatistics().heap_size_limit;
  if (bytes < limit / 4) return;
  const megabytes = (size: number): string => `${Math.round(size / 2 ** 20)} MB`;
  throw failed(
    database.path,
    `has more than ${megabytes(bytes)} of session ${quoteSession(sessionId)}, and this process may use ${megabytes(limit)} in all`,
    'Give it more with node --max-old-space-size, or delete the session',
  );
}
