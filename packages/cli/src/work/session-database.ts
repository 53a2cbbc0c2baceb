import { join } from 'node:path';

import type { Store } from '@shallot/core/store';

/** The store of a config that names none: `.shallot/sessions.db` beside it, made when something is first kept. */
export async function sessionDatabase(directory: string): Promise<Store> {
  // Loaded only when it is needed: a config may name another store.
  const { sqliteStore } = await import('@shallot/core/sqlite');
  return sqliteStore(join(directory, '.shallot', 'sessions.db'));
}
