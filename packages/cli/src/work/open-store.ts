import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import { loadStore } from '@shallot/core/config';
import type { Store } from '@shallot/core/store';

import { configLoading } from '../asking/config-loading.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { importPlugin } from './import-plugin.ts';
import { sessionDatabase } from './session-database.ts';

/** The exports of the PostgreSQL package that are used. */
interface PostgresPackage {
  postgresStore(options: { readonly url: string }): Store;
}

/**
 * Opens a typed store: that of a config file, a PostgreSQL URL, or the path of a SQLite database. Rejects with a usage
 * failure.
 */
export async function openStore(
  typed: string,
  { screen, mayCreate }: { readonly screen: Screen; readonly mayCreate: boolean },
): Promise<Store> {
  const { cwd } = screen.io;
  if (/^postgres(?:ql)?:\/\//.test(typed)) return openPostgres(typed, cwd);
  if (/\.(?:ya?ml|json|[cm]?[jt]s)$/.test(typed)) {
    const loading = loadStore({
      ...configLoading({ config: typed }, screen),
      defaultStore: sessionDatabase,
    });
    return loading.then(
      ({ store }) => store,
      (cause: unknown) => {
        throw new CommandFailure(exitStatus.usage, { cause });
      },
    );
  }
  const path = resolve(cwd, typed);
  if (!mayCreate && !existsSync(path)) {
    throw new CommandFailure(
      exitStatus.usage,
      `There is no database ${visibleLine(typed)}. Name a SQLite database, a postgres:// URL or a config file.`,
    );
  }
  const { sqliteStore } = await import('@shallot/core/sqlite');
  return sqliteStore(path);
}

async function openPostgres(url: string, directory: string): Promise<Store> {
  const { postgresStore } = await importPlugin<PostgresPackage, 'postgresStore'>({
    entry: '@shallot/store-postgres',
    functions: ['postgresStore'],
    command: 'shallot store copy with a postgres:// URL',
    directory,
  });
  return postgresStore({ url });
}
