import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import { startPostgres } from '../postgres-server.ts';
import { sweepTrees, type TreeSweep } from './sweep-trees.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-trees-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Sweeps trees with two workers over one SQLite file. */
export function sweepOnSqlite(kills: number): Promise<TreeSweep> {
  const folder = newFolder();
  return sweepTrees({ kind: 'sqlite', path: join(folder, 'sessions.db') }, join(folder, 'ledger.db'), kills);
}

/** Sweeps trees with two workers over one PostgreSQL database. */
export async function sweepOnPostgres(kills: number): Promise<TreeSweep> {
  const server = await startPostgres(18);
  onTestFinished(() => server.stop());
  const url = await server.newDatabase();
  return sweepTrees({ kind: 'postgres', url }, join(newFolder(), 'ledger.db'), kills);
}
