import { ShallotError } from '@shallot/core';
import type { Pool, PoolClient } from 'pg';

import { inTransaction } from './in-transaction.ts';
import { migrations, oldestProgram } from './migrations.ts';

/** The key of the lock under which one process at a time migrates: "shallot" in ASCII. */
const lock = (0x73_68_61_6c_6c_6f_74).toString();

/** The version of the tables, and the oldest version whose programs may work on them. */
interface Version {
  readonly version: number;
  readonly oldest: number;
}

/**
 * Brings the tables to the version of this program, under a lock. Newer tables are left as they are, and used if they allow
 * it. @throws `STORE_FORMAT` for those that do not; `STORE_FAILED` for older ones, if nothing may be changed
 */
export async function migrate(
  pool: Pool,
  schema: string,
  { mayChange }: { readonly mayChange: boolean },
): Promise<{ readonly from: number; readonly to: number }> {
  const newest = migrations.length;
  const found = await versionOf(pool, schema);
  checkNewer(found);
  if (found.version >= newest) return { from: found.version, to: found.version };
  if (!mayChange) {
    throw new ShallotError('STORE_FAILED', {
      message: `The tables in schema ${schema} have version ${found.version}, this program needs ${newest}, and "migrate" is off. Run shallot store migrate.`,
    });
  }
  return inTransaction(pool, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [lock]);
    return { from: await applyMigrations(client, schema), to: newest };
  });
}

/** Applies what is missing. Returns the version from before: somebody else may have been first. */
async function applyMigrations(client: PoolClient, schema: string): Promise<number> {
  const found = await versionOf(client, schema);
  checkNewer(found);
  if (found.version >= migrations.length) return found.version;
  await checkEncoding(client);
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${schema}.versions (version integer PRIMARY KEY, oldest integer NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
  );
  for (const [index, migration] of migrations.entries()) {
    if (index < found.version) continue;
    await client.query(migration(schema));
    await client.query(`INSERT INTO ${schema}.versions (version, oldest) VALUES ($1, $2)`, [
      index + 1,
      oldestProgram,
    ]);
  }
  return found.version;
}

async function versionOf(client: Pool | PoolClient, schema: string): Promise<Version> {
  // The tables themselves: what `to_regclass` says may be remembered from before the lock.
  const { rows: tables } = await client.query(
    "SELECT FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'versions'",
    [schema.replaceAll('"', '')],
  );
  if (tables.length === 0) return { version: 0, oldest: 0 };
  const { rows } = await client.query<Version>(
    `SELECT version, oldest FROM ${schema}.versions ORDER BY version DESC LIMIT 1`,
  );
  return rows[0] ?? { version: 0, oldest: 0 };
}

function checkNewer({ version, oldest }: Version): void {
  if (oldest <= migrations.length) return;
  throw new ShallotError('STORE_FORMAT', {
    message: `The tables have version ${version}, which programs before version ${oldest} cannot use; this one has ${migrations.length}. They were left unchanged. Update @shallot/store-postgres.`,
  });
}

/** Other encodings cannot hold every character. */
async function checkEncoding(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ readonly server_encoding: string }>('SHOW server_encoding');
  const encoding = rows[0]?.server_encoding;
  if (encoding === 'UTF8') return;
  throw new ShallotError('STORE_FAILED', {
    message: `The database has the encoding ${encoding}, and the store needs UTF8. Create one with: CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0.`,
  });
}
