import type { LiveEvents, PublishedEvents } from '@shallot/core/store';

import type { Database } from '../database/database.ts';

/**
 * Publishes events of the current step without waiting for the disk. A commit deletes them if it adds or replaces
 * messages, or removes the claim.
 */
export async function publish(database: Database, digest: Buffer, events: LiveEvents): Promise<void> {
  await database.often(
    `WITH fast AS (SELECT set_config('synchronous_commit', 'off', true))
     INSERT INTO ${database.schema}.live (session_id, events)
     SELECT id, $2 FROM ${database.schema}.sessions, fast WHERE digest = $1`,
    [digest, JSON.stringify(events)],
  );
}

/** Returns the events that were published after the event with the number `after`, in their order. */
export async function published(
  database: Database,
  digest: Buffer,
  after: number,
): Promise<readonly PublishedEvents[]> {
  const rows = await database.often<{ readonly number: number; readonly events: string }>(
    `SELECT l.id::float8 AS number, events FROM ${database.schema}.live l
     JOIN ${database.schema}.sessions s ON s.id = session_id WHERE digest = $1 AND l.id > $2 ORDER BY l.id`,
    [digest, after],
  );
  // `publish` wrote these events.
  return rows.map(({ number, events }) => Object.assign(JSON.parse(events) as LiveEvents, { number }));
}
