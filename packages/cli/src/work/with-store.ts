import { loadStore } from '@shallot/core/config';
import type { Store } from '@shallot/core/store';

import { configLoading, type AgentCommandOptions } from '../asking/config-loading.ts';
import { noteWarning } from '../rendering/note-failure.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
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
