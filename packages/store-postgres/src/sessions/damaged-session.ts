import { ShallotError } from '@shallot/core';
import { encodeText } from '@shallot/core/store';

import type { Database } from '../database/database.ts';
import { digestOf } from './commit-session.ts';

/**
 * Returns the error for a damaged session. Nothing is repaired, because that could lose data that can still be saved.
 */
export function damagedSession(
  { where }: Database,
  sessionId: string,
  what: string,
  cause?: unknown,
): ShallotError {
  return new ShallotError('STORE_DAMAGED', {
    message: `Session ${JSON.stringify(sessionId.slice(0, 80))} in PostgreSQL at ${where} is damaged: ${what}. It was left unchanged. Restore it from a backup, or delete it.`,
    cause,
  });
}

/**
 * Marks a session as damaged, or as repaired, so that listings show it and workers skip it while it is damaged. Does
 * nothing for a role that may only read.
 */
export async function noteDamage(database: Database, sessionId: string, isDamaged: boolean): Promise<void> {
  const sql = `UPDATE ${database.schema}.sessions SET damaged = $2 WHERE digest = $1`;
  await database.query(sql, [digestOf(encodeText(sessionId)), isDamaged]).catch(() => undefined);
}
