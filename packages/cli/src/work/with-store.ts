import { loadStore, type LoadedStore } from '@shallot/core/config';
import type { Files } from '@shallot/core/files';
import type { Store } from '@shallot/core/store';

import { configLoading, type AgentCommandOptions } from '../asking/config-loading.ts';
import { noteWarning } from '../rendering/note-failure.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
import { requireShared } from './require-shared.ts';
import { sessionDatabase } from './session-database.ts';
import { withStorePlace } from './store-place.ts';

/**
 * Uses the store of the config file, and its files on demand, and closes them. Loads no model or plugin. Rejects with a
 * usage failure for an invalid config.
 */
export async function withStore<T>(
  options: AgentCommandOptions,
  screen: Screen,
  use: (store: Store, files: () => Promise<Files>, at: LoadedStore['at']) => Promise<T>,
): Promise<T> {
  const loading = loadStore({ ...configLoading(options, screen), defaultStore: sessionDatabase });
  const loaded = loading.catch((error: unknown) => {
    throw new CommandFailure(exitStatus.usage, { cause: error });
  });
  const { store, openFiles, at } = await screen.uncaught.orFirst(() => loaded);
  let files: Promise<Files> | undefined;
  try {
    return await use(store, () => (files ??= openFiles()), at);
  } catch (error) {
    throw withStorePlace(error, at);
  } finally {
    const warn = (error: unknown): void => noteWarning(error, screen);
    await store.close?.().catch(warn);
    // An error of opening the files was already reported.
    await (await files?.catch(() => undefined))?.close?.().catch(warn);
  }
}

/**
 * Uses the store of the config file for a command about sessions of other processes. Rejects with a usage failure also for
 * a store that only this process sees.
 */
export async function withSharedStore<T>(
  command: string,
  options: AgentCommandOptions,
  screen: Screen,
  use: (store: Store, files: () => Promise<Files>) => Promise<T>,
): Promise<T> {
  return withStore(options, screen, (store, files, at) => {
    requireShared(store, command, at);
    return use(store, files);
  });
}
