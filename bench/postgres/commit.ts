// Runs in its own process. Measures a commit of the PostgreSQL store against a hand-written transaction of two inserts
// in one round trip.
import type { Message } from '@shallot/core';
import { postgresStore } from '@shallot/store-postgres';
import { Pool } from 'pg';

import { startPostgres } from '../../packages/store-postgres/test/postgres-server.ts';
import { median } from '../measures/samples.ts';

const [warmup, turns, each] = [60, 300, 4];
const manySessions = 100_000;

// The server does not wait for its disk, whose time is the same on all sides and would hide the difference.
const server = await startPostgres(18);
const url = await server.newDatabase();
const pool = new Pool({ connectionString: url });
const [short, long, among] = [
  await newSession('few', 10),
  await newSession('few', 10_000),
  await newSession('many', 10),
];
await addSessions('many', manySessions);
await pool.query(
  'CREATE TABLE sides (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text NOT NULL)',
);

const times = await inTurns({
  bare: insertByHand,
  short: short.commit,
  long: long.commit,
  among: among.commit,
});
const to = (side: readonly number[], base: readonly number[]): number =>
  median(side.map((ms, turn) => ms / (base[turn] ?? Number.NaN)));
const figures = {
  bare: to(times.short, times.bare),
  history: to(times.long, times.short),
  sessions: to(times.among, times.short),
  commitMs: median(times.short),
  bareMs: median(times.bare),
};
for (const session of [short, long, among]) await session.close();
await pool.end();
await server.stop();
process.stdout.write(`\n${JSON.stringify(figures)}\n`);

type Side = (count: number) => Promise<void>;

/** Returns the milliseconds of each side, turn by turn. The side that comes first changes with each turn. */
async function inTurns<Key extends string>(sides: Record<Key, Side>): Promise<Record<Key, number[]>> {
  const keys = Object.keys(sides) as Key[];
  const times = Object.fromEntries(keys.map((key) => [key, [] as number[]])) as Record<Key, number[]>;
  for (let turn = -warmup; turn < turns; turn += 1) {
    for (const [index] of keys.entries()) {
      const key = keys[(index + turn + warmup) % keys.length];
      if (key === undefined) continue;
      const started = performance.now();
      for (let time = 0; time < each; time += 1) await sides[key](turn * each + time);
      if (turn >= 0) times[key].push((performance.now() - started) / each);
    }
  }
  return times;
}

async function insertByHand(count: number): Promise<void> {
  const texts = conversation(count, 2).map((message) => JSON.stringify(message));
  await pool.query(
    'WITH first AS (INSERT INTO sides (text) VALUES ($1)) INSERT INTO sides (text) VALUES ($2)',
    texts,
  );
}

/** Creates a session with `messages` messages in a schema. Each commit then adds two messages and a journal entry. */
async function newSession(schema: string, messages: number) {
  const store = postgresStore({ url, schema });
  const id = `session of ${messages}`;
  let revision = await store.commit(id, 0, { append: conversation(0, messages) });
  return {
    commit: async (count: number): Promise<void> => {
      revision = await store.commit(id, revision, {
        append: conversation(messages + (warmup * each + count) * 2, 2),
        journal: { 'once:bench': { type: 'once', value: count } },
      });
    },
    close: () => store.close(),
  };
}

/** Inserts as many sessions as a year of use leaves, directly into the table. */
async function addSessions(schema: string, count: number): Promise<void> {
  await pool.query(
    `INSERT INTO ${schema}.sessions (digest, session, format, revision, listed, commit_id, created_at, updated_at, messages,
       status, interrupts, stop)
     SELECT sha256(number::text::bytea), number::text, 1, nextval('${schema}.revisions'), number, gen_random_uuid(), now(), now(), 0,
       'completed', 0, false
     FROM generate_series(1, ${count}) AS number`,
  );
  await pool.query(`ANALYZE ${schema}.sessions`);
}

function conversation(from: number, count: number): Message[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `m${from + index}`,
    role: 'user' as const,
    content: [{ type: 'text' as const, text: `Message ${from + index} of a conversation.` }],
  }));
}
