import type { Pool } from 'pg';

import { loadGraphile } from './load-graphile.ts';

/** Creates or updates the tables of graphile-worker. */
export async function migrateQueue(pool: Pool): Promise<void> {
  const { runMigrations } = await loadGraphile();
  await runMigrations({ pgPool: pool });
}
