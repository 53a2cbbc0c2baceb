import { dirname } from 'node:path';

import type { Store } from '../contract/store.ts';
import { memoryStore } from '../sessions/memory-store.ts';
import { loadConfigFor, type LoadConfigOptions, type LoadedConfig } from './load-config.ts';
import { inStartTime } from './modules/in-start-time.ts';
import { resolveStore } from './resolve-store.ts';

/** Creates the store for a config that names none, given the config's directory. */
export type DefaultStore = (directory: string) => Store | Promise<Store>;

export interface LoadStoreOptions extends LoadConfigOptions {
  /** Default: `memoryStore`. */
  readonly defaultStore?: DefaultStore;
}

export interface LoadedStore {
  /** The caller closes it. */
  readonly store: Store;
  /** The absolute path of the config file. */
  readonly path: string;
}

/**
 * Opens only the store of a config, to inspect sessions and answer their questions. Loads no model or plugin, and needs
 * none of their environment variables.
 * @throws the errors of `loadConfig`, and of finding and importing the store's module
 */
export async function loadStore({
  defaultStore = () => memoryStore(),
  ...options
}: LoadStoreOptions = {}): Promise<LoadedStore> {
  const loaded = await loadConfigFor(options, ['extends', 'store', 'startTimeoutMs']);
  return { store: await storeOpener(loaded, defaultStore)(), path: loaded.path };
}

/** Finds what a config says of its store, and gives the function that opens it. */
export function storeOpener(
  { merged, path, startTimeoutMs }: LoadedConfig,
  defaultStore: DefaultStore,
): () => Promise<Store> {
  const { store } = merged;
  if (store !== undefined) {
    const open = resolveStore(store);
    return () => inStartTime(open(), { what: 'The store', at: store.locate(), startTimeoutMs });
  }
  return async () => defaultStore(dirname(path));
}
