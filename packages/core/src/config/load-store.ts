import { dirname } from 'node:path';

import type { SourceLocation } from '../base/errors.ts';
import type { Store } from '../contract/store.ts';
import type { Files } from '../files/files.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { loadConfigFor, type LoadConfigOptions, type LoadedConfig } from './load-config.ts';
import { filesMaker } from './making/make-files.ts';
import { inStartTime } from './modules/in-start-time.ts';
import { resolveStore } from './resolve-store.ts';

/** Creates the store for a config without one, from the config's directory. */
export type DefaultStore = (directory: string) => Store | Promise<Store>;

/** Options of `loadStore`. */
interface LoadStoreOptions extends LoadConfigOptions {
  /** Default: `memoryStore`. */
  readonly defaultStore?: DefaultStore;
}

/** The store that a config names, opened without starting an agent. */
export interface LoadedStore {
  /** The caller must close it. */
  readonly store: Store;
  /**
   * Opens the files service of the config, which the caller must close. @throws the errors of finding and importing its
   * module
   */
  readonly openFiles: () => Promise<Files>;
  /** The absolute path of the config file. */
  readonly path: string;
  /** The place where the config names the store; undefined if it is the default one. */
  readonly at: SourceLocation | undefined;
}

/**
 * Opens only the store of a config, to inspect sessions and answer their questions. Loads no model or plugin, and needs
 * none of their environment variables. @throws the errors of `loadConfig`, and of finding and importing the store's
 * module
 */
export async function loadStore({
  defaultStore = () => memoryStore(),
  ...options
}: LoadStoreOptions = {}): Promise<LoadedStore> {
  const loaded = await loadConfigFor(options, ['extends', 'store', 'startTimeoutMs']);
  const store = await storeOpener(loaded, defaultStore)();
  const openFiles = async (): Promise<Files> => {
    // Loaded separately, so that opening the store does not need the environment variables of other parts.
    const keys = ['extends', 'files', 'unlock', 'startTimeoutMs'] as const;
    return filesMaker(await loadConfigFor({ ...options, path: loaded.path }, keys))();
  };
  return { store, openFiles, path: loaded.path, at: loaded.merged.store?.locate() };
}

/** Resolves the store of a config, and returns a function that opens it. */
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
