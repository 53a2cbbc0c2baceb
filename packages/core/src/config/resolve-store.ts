import { join, resolve } from 'node:path';

import { ShallotError } from '../base/errors.ts';
import type { Store } from '../contract/store.ts';
import { protectFile } from '../files/protection/loaded-files.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import type { Config, StoreEntry } from './check/config.ts';
import type { Mention } from './modules/locate.ts';
import { isStore } from './packages/is-store.ts';
import { resolveMaker } from './resolve-maker.ts';

/**
 * Resolves the `store` of a config, and returns a function that opens it. The default path of a SQLite store is
 * `.shallot/sessions.db` beside the config file. @throws `MODULE_NOT_FOUND`; `CONFIG_INVALID` for a `path` of any other
 * store
 */
export function resolveStore({
  value,
  directory,
  locate,
}: Mention<NonNullable<Config['store']>>): () => Promise<Store> {
  if (isStore(value)) return () => Promise.resolve(value);
  const entry: StoreEntry = typeof value === 'string' ? { use: value } : value;
  if (entry.use === 'sqlite') {
    const path = resolve(directory, entry.path ?? join('.shallot', 'sessions.db'));
    for (const end of ['', '-wal', '-shm', '-journal']) protectFile(path + end, 'state');
    return async () => (await import('../sqlite/index.ts')).sqliteStore(path);
  }
  if (entry.path !== undefined) {
    throw new ShallotError('CONFIG_INVALID', {
      message: `store.path is for sqlite only, and "use" is "${entry.use}". Remove it, or move it under "options".`,
      at: locate(['path'], 'key'),
    });
  }
  if (entry.use === 'memory') return () => Promise.resolve(memoryStore());
  return resolveMaker(entry, { directory, at: locate() }, { what: 'store', is: isStore });
}
