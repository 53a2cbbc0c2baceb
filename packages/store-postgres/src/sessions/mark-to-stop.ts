import { encodeText } from '@shallot/core/store';

import type { Database } from '../database/database.ts';
import { digestOf } from './commit-session.ts';

/** Marks a session whose run is to stop. Returns false if it has no unfinished run. */
export async function markToStop(database: Database, sessionId: string): Promise<boolean> {
  const rows = await database.query(
    `UPDATE ${database.schema}.sessions SET stop = true
     WHERE digest = $1 AND (status = 'running' OR (due IS NOT NULL AND status <> 'completed')) RETURNING id`,
    [digestOf(encodeText(sessionId))],
  );
  return rows.length > 0;
}
