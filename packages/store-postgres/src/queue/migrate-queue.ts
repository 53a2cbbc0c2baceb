import type { Pool } from 'pg';

import { loadGraphile } from './load-graphile.ts';

/** Creates the tables of graphile-worker, or brings them up to date. */
export async function migrateQueue(pool: Pool): Promise<void> {
  const { runMigrations } = await loadGraphile();
  await runMigrations({ pgPool: pool });
}
