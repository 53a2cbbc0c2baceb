import {
  checkFormat,
  decodeText,
  encodeText,
  parseFrozen,
  type JournalEntry,
  type RunRecord,
  type SessionRecord,
  type StateEntry,
} from '@shallot/core/store';

import type { Database } from '../database/database.ts';
import { claimOf, digestOf } from './commit-session.ts';

/** So many messages come with the rest of a session, and then at a time. */
const pageSize = 500;

/** A session that changes so often while it is read is read in one transaction. */
const mostAttempts = 3;

interface Row {
  readonly id: string;
  readonly format: number;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly run: string | null;
  readonly claim: string | null;
  readonly claim_ms: number | null;
  readonly state: readonly (readonly [plugin: string, key: string, entry: string])[] | null;
  readonly journal: readonly (readonly [key: string, entry: string])[] | null;
  readonly messages: readonly (readonly [position: string, message: string])[] | null;
  readonly count: number;
}

type Query = <R extends Record<string, unknown>>(sql: string, values: readonly unknown[]) => Promise<R[]>;

/** Reads a session: a short one in one round trip, a long one in pages, again if it changes meanwhile. */
export async function loadSession(database: Database, sessionId: string): Promise<SessionRecord | undefined> {
  const query: Query = (sql, values) => database.query(sql, values);
  for (let attempt = 1; attempt < mostAttempts; attempt += 1) {
    const record = await readWith(query, database.schema, sessionId);
    if (record !== 'changed') return record;
  }
  return database.transaction(async (client) => {
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    const inside: Query = async <R extends Record<string, unknown>>(
      sql: string,
      values: readonly unknown[],
    ) => {
      const { rows } = await client.query<R>(sql, [...values]);
      return rows;
    };
    const record = await readWith(inside, database.schema, sessionId);
    if (record === 'changed') throw new Error('A session changed within one transaction.');
    return record;
  });
}

async function readWith(
  query: Query,
  schema: string,
  sessionId: string,
): Promise<SessionRecord | undefined | 'changed'> {
  const [row] = await query<Row & Record<string, unknown>>(
    `SELECT s.id::text AS id, format, revision::float8 AS revision, messages AS count, run, claim,
       extract(epoch FROM created_at)::float8 * 1000 AS created_at,
       extract(epoch FROM updated_at)::float8 * 1000 AS updated_at,
       extract(epoch FROM claim_expires - clock_timestamp())::float8 * 1000 AS claim_ms,
       (SELECT json_agg(json_build_array(plugin, key, entry)) FROM ${schema}.state WHERE session_id = s.id) AS state,
       (SELECT json_agg(json_build_array(key, entry)) FROM ${schema}.journal WHERE session_id = s.id) AS journal,
       (SELECT json_agg(json_build_array(position::text, message) ORDER BY position) FROM
         (SELECT position, message FROM ${schema}.messages WHERE session_id = s.id ORDER BY position LIMIT ${pageSize}) AS page
       ) AS messages
     FROM ${schema}.sessions s WHERE digest = $1`,
    [digestOf(encodeText(sessionId))],
  );
  if (row === undefined) return undefined;
  checkFormat(sessionId, row.format);
  const page = row.messages ?? [];
  const messages = page.map(([, text]) => messageOf(text));
  let last = page.at(-1)?.[0];
  while (messages.length < row.count) {
    const more = await query<{ position: string; message: string; revision: number }>(
      `SELECT position::text AS position, message, revision::float8 AS revision FROM ${schema}.messages
       JOIN ${schema}.sessions s ON s.id = session_id
       WHERE session_id = $1 AND position > $2::numeric ORDER BY ${schema}.messages.position LIMIT ${pageSize}`,
      [row.id, last],
    );
    if (more.length === 0 || more.some(({ revision }) => revision !== row.revision)) return 'changed';
    for (const { message } of more) messages.push(messageOf(message));
    last = more.at(-1)?.position;
  }
  return toRecord(sessionId, row, messages);
}

// The casts below rest on this: what is read is what a commit wrote, and that was typed.

function toRecord(sessionId: string, row: Row, messages: SessionRecord['messages']): SessionRecord {
  return Object.freeze({
    format: row.format,
    id: sessionId,
    revision: row.revision,
    createdAt: Math.floor(row.created_at),
    updatedAt: Math.floor(row.updated_at),
    messages,
    state: stateOf(row.state ?? []),
    journal: toObject((row.journal ?? []).map(([key, text]) => [key, parseFrozen(text) as JournalEntry])),
    ...(row.run === null ? {} : { run: parseFrozen(row.run) as RunRecord }),
    ...(row.claim === null || row.claim_ms === null ? {} : { claim: claimOf(row.claim, row.claim_ms) }),
  });
}

function stateOf(rows: NonNullable<Row['state']>): SessionRecord['state'] {
  const plugins = Map.groupBy(rows, ([plugin]) => plugin);
  return toObject(
    Array.from(plugins, ([plugin, entries]) => [
      plugin,
      toObject(entries.map(([, key, text]) => [key, parseFrozen(text) as StateEntry])),
    ]),
  );
}

/** `fromEntries` defines its members, so that `__proto__` is a key like any other. */
function toObject<T>(entries: readonly (readonly [key: string, value: T])[]): Readonly<Record<string, T>> {
  return Object.freeze(Object.fromEntries(entries.map(([key, value]) => [decodeText(key), value])));
}

function messageOf(text: string): SessionRecord['messages'][number] {
  return parseFrozen(text) as SessionRecord['messages'][number];
}
