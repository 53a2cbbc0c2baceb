// Runs in its own process. Measures the bytes that a step of a run writes, with twelve plugins and with none: the JSON
// that the store is given, which is what SQLite writes, and the write-ahead log of PostgreSQL, against two inserts by
// hand.
import { createAgent, memoryStore, type Plugin } from '@shallot/core';
import { memoryFiles } from '@shallot/core/files';
import type { ChatModel } from '@shallot/core/model';
import type { Store } from '@shallot/core/store';
import { postgresStore } from '@shallot/store-postgres';
import { Pool } from 'pg';

import { startPostgres } from '../packages/store-postgres/test/postgres-server.ts';
import { productionPlugins } from './production-plugins.ts';
import { look, sentence } from './real-content.ts';

const steps = 100;

// After a checkpoint PostgreSQL logs whole pages, which would hide the size of a step.
const server = await startPostgres(18, ['full_page_writes=off', 'autovacuum=off']);
const url = await server.newDatabase();
const pool = new Pool({ connectionString: url });
const inSqlite = { none: await handedBytes([]), twelve: await handedBytes(productionPlugins()) };
const inPostgres = { none: await loggedBytes([]), twelve: await loggedBytes(productionPlugins()) };
const figures = {
  sqlite: inSqlite.twelve / inSqlite.none,
  postgres: inPostgres.twelve / inPostgres.none,
  sqliteBytes: inSqlite.none,
  postgresBytes: inPostgres.none,
  insertsBytes: await insertedBytes(),
};
await pool.end();
await server.stop();
process.stdout.write(`\n${JSON.stringify(figures)}\n`);

/** Returns the bytes of the changes per step, as JSON. */
async function handedBytes(plugins: readonly Plugin[]): Promise<number> {
  const store = memoryStore();
  let bytes = 0;
  const counting: Store = {
    ...store,
    commit(sessionId, revision, change) {
      bytes += Buffer.byteLength(JSON.stringify(change));
      return store.commit(sessionId, revision, change);
    },
  };
  await runIn(counting, plugins, 'first');
  bytes = 0;
  await runIn(counting, plugins, 'second');
  return bytes / steps;
}

/** Returns the bytes per step in the write-ahead log of the database. */
async function loggedBytes(plugins: readonly Plugin[]): Promise<number> {
  const store = postgresStore({ url, listen: false });
  const name = plugins.length === 0 ? 'none' : 'twelve';
  await runIn(store, plugins, `${name} first`);
  const before = await logged();
  await runIn(store, plugins, `${name} second`);
  const bytes = (await logged()) - before;
  await store.close();
  return bytes / steps;
}

async function insertedBytes(): Promise<number> {
  await pool.query(
    'CREATE TABLE sides (run integer, number integer, message text NOT NULL, PRIMARY KEY (run, number))',
  );
  const insert = `WITH first AS (INSERT INTO sides VALUES (1, $1, $2)) INSERT INTO sides VALUES (1, $3, $4)`;
  const before = await logged();
  for (let step = 0; step < steps; step += 1)
    await pool.query(insert, [
      2 * step,
      JSON.stringify({ call: step }),
      2 * step + 1,
      JSON.stringify({ text: sentence.repeat(5) }),
    ]);
  return ((await logged()) - before) / steps;
}

async function logged(): Promise<number> {
  const { rows } = await pool.query<{ readonly bytes: number }>(
    "SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS bytes",
  );
  return rows[0]?.bytes ?? Number.NaN;
}

async function runIn(store: Store, plugins: readonly Plugin[], sessionId: string): Promise<void> {
  let calls = 0;
  const model: ChatModel = {
    id: 'bench/bytes',
    limits: { contextTokens: 100_000_000 },
    async generate() {
      calls += 1;
      const usage = { input: 60 * calls, output: 20, total: 60 * calls + 20 };
      if (calls === steps)
        return {
          message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
          usage,
          finish: 'stop',
        };
      const call = { type: 'tool-call' as const, id: `c${calls}`, name: 'look', input: { n: calls } };
      return { message: { role: 'assistant', content: [call] }, usage, finish: 'tool-calls' };
    },
  };
  await using agent = await createAgent({
    name: 'bench',
    model,
    tools: [look],
    plugins,
    files: memoryFiles(),
    store,
    log: 'silent',
    maxSteps: steps + 1,
  });
  await agent.run('Go.', { sessionId });
}
