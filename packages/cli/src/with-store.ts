import type { Store } from '@shallot/core';
import { loadStore } from '@shallot/core/config';

import { CommandFailure } from './command-failure.ts';
import { configLoading, type AgentCommandOptions } from './config-loading.ts';
import { exitStatus } from './exit-status.ts';
import { noteWarning } from './note-failure.ts';
import type { Screen } from './screen.ts';
import { sessionDatabase } from './session-database.ts';

/**
 * Uses the store that the config file means, and closes it. Neither a model nor a plugin is loaded.
 * Rejects with a usage failure when the configuration is wrong.
 */
export async function withStore<T>(
  options: AgentCommandOptions,
  screen: Screen,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const loading = loadStore({ ...configLoading(options, screen), defaultStore: sessionDatabase });
  const loaded = loading.catch((error: unknown) => {
    throw new CommandFailure(exitStatus.usage, { cause: error });
  });
  const { store } = await screen.uncaught.orFirst(() => loaded);
  try {
    return await use(store);
  } finally {
    await store.close?.().catch((error: unknown) => noteWarning(error, screen));
  }
}
