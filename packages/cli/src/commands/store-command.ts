import type { Store } from '@shallot/core/store';

import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { noteWarning } from '../rendering/note-failure.ts';
import { count } from '../terminal/count.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { copySession } from '../work/copy-session.ts';
import { openStore } from '../work/open-store.ts';
import { withStore } from '../work/with-store.ts';

/** `shallot store migrate`: creates the tables of the config's store, or brings them to the version that this program uses. */
export async function migrateStoreCommand(options: AgentCommandOptions, screen: Screen): Promise<void> {
  await withStore(options, screen, async (store) => {
    const migrated = await store.migrate?.();
    if (migrated === undefined) await screen.line('The store of this config needs no migration.');
    else if (migrated.from === migrated.to)
      await screen.line(`The tables have version ${migrated.to} already.`);
    else await screen.line(`The tables had version ${migrated.from}, and have ${migrated.to} now.`);
  });
}

/**
 * `shallot store copy`: copies all sessions from one store to another, and compares each copy with its original. Overwrites
 * nothing. Gives the exit status.
 */
export async function copyStoreCommand(from: string, to: string, screen: Screen): Promise<number> {
  const source = await openStore(from, { screen, mayCreate: false });
  try {
    const target = await openStore(to, { screen, mayCreate: true });
    try {
      return await copyAll(source, target, screen);
    } finally {
      await target.close?.();
    }
  } finally {
    await source.close?.();
  }
}

async function copyAll(source: Store, target: Store, screen: Screen): Promise<number> {
  const ids: string[] = [];
  for await (const { id } of source.list()) ids.push(id);
  const tally = { copied: 0, there: 0, failed: 0 };
  // So that the one that changed last is the last one that changes.
  for (const sessionId of ids.toReversed()) {
    try {
      tally[await copySession(source, target, sessionId)] += 1;
    } catch (error) {
      tally.failed += 1;
      noteWarning(error, screen);
    }
  }
  await screen.line(`Copied and compared ${count(tally.copied, 'session')}.`);
  if (tally.there > 0) screen.note(`${count(tally.there, 'session')} had the same content there already.`);
  if (tally.failed === 0) return exitStatus.completed;
  screen.note(`Not copied: ${count(tally.failed, 'session')}. ${visibleLine('See the warnings.')}`);
  return exitStatus.failed;
}
