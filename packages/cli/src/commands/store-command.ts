import { storeStats, type Store, type StoreRights } from '@shallot/core/store';

import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { noteWarning } from '../rendering/note-failure.ts';
import { toJson } from '../rendering/render-json.ts';
import { renderStats } from '../rendering/render-stats.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { count } from '../terminal/count.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { copySession } from '../work/copy-session.ts';
import { openStore } from '../work/open-store.ts';
import { withSharedStore, withStore } from '../work/with-store.ts';

/**
 * `shallot store migrate`: creates the tables of the config's store, or migrates them to the version of this program.
 */
export async function migrateStoreCommand(options: AgentCommandOptions, screen: Screen): Promise<void> {
  await withStore(options, screen, async (store) => {
    const migrated = await store.migrate?.();
    if (migrated === undefined) await screen.line('The store of this config needs no migration.');
    else if (migrated.from === migrated.to)
      await screen.line(`The tables have version ${migrated.to} already.`);
    else await screen.line(`The tables had version ${migrated.from}, and have ${migrated.to} now.`);
  });
}

export interface GrantsCommandOptions extends AgentCommandOptions {
  /** The rights as typed. */
  readonly rights: string;
}

const rightsOfRoles: readonly StoreRights[] = ['work', 'submit', 'read'];

/** `shallot store grants`: prints the SQL that gives a role its rights. Connects to nothing, and changes nothing. */
export async function grantsStoreCommand(
  role: string,
  options: GrantsCommandOptions,
  screen: Screen,
): Promise<number> {
  const rights = rightsOfRoles.find((name) => name === options.rights);
  if (rights === undefined) {
    const typed = visibleLine(options.rights);
    throw new CommandFailure(exitStatus.usage, `--rights is "${typed}"; write ${rightsOfRoles.join(', ')}.`);
  }
  return withStore(options, screen, async (store) => {
    if (store.grants === undefined) {
      screen.note('The store of this config has no roles.');
      return exitStatus.usage;
    }
    await screen.line(store.grants(role, rights));
    return exitStatus.completed;
  });
}

/** `shallot store stats`: counts the sessions that wait, run or are parked. */
export async function statsStoreCommand(
  options: AgentCommandOptions & { readonly json?: boolean },
  screen: Screen,
): Promise<void> {
  await withSharedStore('shallot store stats', options, screen, async (store) => {
    const stats = await storeStats(store);
    await screen.line(options.json === true ? toJson(stats, { indent: 2 }) : renderStats(stats).join('\n'));
  });
}

/**
 * `shallot store copy`: copies all sessions from one store to another, and compares each copy with its original.
 * Overwrites nothing. Returns the exit status.
 */
export async function copyStoreCommand(
  from: string,
  to: string,
  _options: object,
  screen: Screen,
): Promise<number> {
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
  // Copies the sessions that changed earliest first, so that the order of changes is preserved.
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
