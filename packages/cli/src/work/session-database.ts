import { join } from 'node:path';

import type { Store } from '@shallot/core/store';

/** Returns the store for a config without one: `.shallot/sessions.db` beside it, created on first use. */
export async function sessionDatabase(directory: string): Promise<Store> {
  // Imported lazily, because a config may use another store.
  const { sqliteStore } = await import('@shallot/core/sqlite');
  return sqliteStore(join(directory, '.shallot', 'sessions.db'));
}
