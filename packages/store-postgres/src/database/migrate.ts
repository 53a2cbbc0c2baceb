import { ShallotError } from '@shallot/core';
import type { Pool, PoolClient } from 'pg';

import { inTransaction } from './in-transaction.ts';
import { migrations, oldestProgram } from './migrations.ts';

/** The key of the lock that migrations hold: "shallot" in ASCII. */
const lock = (0x73_68_61_6c_6c_6f_74).toString();

/** The time for which a program that died during a migration keeps others from migrating, in milliseconds. */
const idleMs = 60_000;

/** The time limit of a migration's statement, in milliseconds: it may rewrite each row of a table. */
const statementMs = 30 * 60_000;

/** The version of the tables, and the oldest version whose programs may work on them. */
interface Version {
  readonly version: number;
  readonly oldest: number;
}

/**
 * Migrates the tables to the version of this program, under a lock. Tables of a newer version are left unchanged. @throws
 * `STORE_FORMAT` if programs of this version cannot use newer tables; `STORE_FAILED` for older tables without `mayChange`
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
      message: `The tables in schema ${schema} have version ${found.version}, and this program needs ${newest}. It does not change them, because "migrate" is off, or they have changed while it ran. Run shallot store migrate.`,
    });
  }
  return inTransaction(
    pool,
    async (client) => {
      // Another program may be migrating the tables.
      await atLength(client, 'SELECT pg_advisory_xact_lock($1)', [lock]);
      return { from: await applyMigrations(client, schema), to: newest };
    },
    { idleMs },
  );
}

/** Applies missing migrations. Returns the version before; another process may have migrated first. */
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
    await atLength(client, migration(schema));
    await client.query(`INSERT INTO ${schema}.versions (version, oldest) VALUES ($1, $2)`, [
      index + 1,
      oldestProgram,
    ]);
  }
  return found.version;
}

/** Executes a statement with the time limit of migrations. */
async function atLength(client: PoolClient, text: string, values?: readonly unknown[]): Promise<void> {
  const config = {
    text,
    query_timeout: statementMs,
    ...(values === undefined ? {} : { values: [...values] }),
  };
  await client.query(config);
}

async function versionOf(client: Pool | PoolClient, schema: string): Promise<Version> {
  // Queries the catalog, because `to_regclass` may be cached from before the lock.
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

/** Checks the encoding, because encodings other than UTF8 cannot store every character. */
async function checkEncoding(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ readonly server_encoding: string }>('SHOW server_encoding');
  const encoding = rows[0]?.server_encoding;
  if (encoding === 'UTF8') return;
  throw new ShallotError('STORE_FAILED', {
    message: `The database has the encoding ${encoding}, and the store needs UTF8. Create one with: CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0.`,
  });
}
