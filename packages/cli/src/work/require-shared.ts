import { ShallotError } from '@shallot/core';
import type { SourceLocation } from '@shallot/core/plugin';
import type { Store } from '@shallot/core/store';

import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';

/** Rejects a store that only this process sees, for a command that works across processes. */
export function requireShared(store: Store, command: string, at: SourceLocation | undefined): void {
  if (store.isLocal !== true) return;
  const cause = new ShallotError('STORE_LOCAL', {
    message: `${command} works across processes, but the store of this config is in memory, which no other process sees. Remove \`store\` (the default is the database .shallot/sessions.db), or write \`store: sqlite\`.`,
    at,
  });
  throw new CommandFailure(exitStatus.usage, { cause });
}
