import { isShallotError, type Message } from '@shallot/core';
import {
  checkFormat,
  decodeText,
  encodeText,
  parseFrozen,
  type JournalEntry,
  type MessagesFrom,
  type RunRecord,
  type SessionHead,
  type SessionRecord,
  type StateEntry,
} from '@shallot/core/store';

import type { Database } from '../database/database.ts';
import { aboutOf, claimOf, digestOf } from './commit-session.ts';
import { damagedSession, noteDamage } from './damaged-session.ts';

/** The number of messages loaded with the session, and then per page. */
const pageSize = 500;

/** The number of messages in the first page read backwards, since most followers lack only a few. */
const firstBack = 20;

/** The number of changes during loading after which the session is loaded in a transaction. */
const mostAttempts = 3;

/** The columns of a session without its messages. */
interface HeadRow {
  readonly id: string;
  readonly format: number;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly run: string | null;
  readonly claim: string | null;
  readonly claim_ms: number | null;
  readonly about: string | null;
  readonly title: string | null;
  readonly damaged: boolean;
  readonly stop: boolean;
  readonly state: readonly (readonly [plugin: string, key: string, entry: string])[] | null;
  readonly journal: readonly (readonly [key: string, entry: string])[] | null;
}

interface Row extends HeadRow {
  readonly messages: readonly (readonly [position: string, message: string])[] | null;
  readonly count: number;
}

type Query = <R extends Record<string, unknown>>(sql: string, values: readonly unknown[]) => Promise<R[]>;

/** A session as it was read, before anything of it is parsed. */
interface ReadSession {
  readonly row: Row;
  readonly messages: readonly string[];
}

/**
 * Loads a session: a short one in one round trip, a long one in pages, repeatedly if it changes meanwhile.
 * @throws `STORE_DAMAGED`
 */
export async function loadSession(database: Database, sessionId: string): Promise<SessionRecord | undefined> {
  const read = await readSession(database, sessionId);
  if (read === undefined) return undefined;
  return notingDamage(database, sessionId, async () => {
    const record = parse(database, sessionId, read);
    if (read !== 'missing' && read.row.damaged) await noteDamage(database, sessionId, false);
    return record;
  });
}

/** Loads all of a session but its messages, in one round trip. @throws `STORE_DAMAGED` */
export async function loadHead(database: Database, sessionId: string): Promise<SessionHead | undefined> {
  const [row] = await database.often<HeadRow & Record<string, unknown>>(
    `SELECT ${headColumns(database.schema)} FROM ${database.schema}.sessions s WHERE digest = $1`,
    [digestOf(encodeText(sessionId))],
  );
  if (row === undefined) return undefined;
  checkFormat(sessionId, row.format);
  return notingDamage(database, sessionId, async () =>
    parsed(database, sessionId, () => Object.freeze(headOf(sessionId, row))),
  );
}

/**
 * Loads the message with this id and those after it, from the last one backwards. Returns undefined if there is no such
 * message, or if the session changes meanwhile. @throws `STORE_DAMAGED`
 */
export async function loadMessagesFrom(
  database: Database,
  sessionId: string,
  messageId: string,
): Promise<MessagesFrom | undefined> {
  return notingDamage(database, sessionId, async () => readBackwards(database, sessionId, messageId));
}

async function readBackwards(
  database: Database,
  sessionId: string,
  messageId: string,
): Promise<MessagesFrom | undefined> {
  const { schema } = database;
  const messages: Message[] = [];
  let revision: number | undefined;
  let before = 'Infinity';
  for (let size = firstBack; ; size = pageSize) {
    const page: readonly {
      readonly position: string;
      readonly message: string;
      readonly revision: number;
    }[] = await database.often<{ position: string; message: string; revision: number }>(
      // The rows are limited by two positions. If it looked for the last of so few rows, the database would read and
      // sort all of them.
      `WITH own AS (SELECT id, revision::float8 AS revision FROM ${schema}.sessions WHERE digest = $1),
       last AS (SELECT max(position) AS position FROM ${schema}.messages
         WHERE session_id = (SELECT id FROM own) AND position < $2::numeric)
       SELECT position::text AS position, message, (SELECT revision FROM own) AS revision FROM ${schema}.messages
       WHERE session_id = (SELECT id FROM own) AND position > (SELECT position FROM last) - ${size}
       AND position <= (SELECT position FROM last) ORDER BY ${schema}.messages.position DESC`,
      [digestOf(encodeText(sessionId)), before],
    );
    const [first] = page;
    // Pages of different revisions do not fit together.
    if (first === undefined || (revision !== undefined && first.revision !== revision)) return undefined;
    ({ revision } = first);
    for (const { message: text } of page) {
      const message = parsed(database, sessionId, () => messageOf(text));
      messages.push(message);
      if (message.id === messageId) return { revision: first.revision, messages: messages.toReversed() };
    }
    before = page.at(-1)?.position ?? first.position;
  }
}

/** Reads, and notes damage that is found, for listings. */
async function notingDamage<T>(database: Database, sessionId: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (isShallotError(error, 'STORE_DAMAGED')) await noteDamage(database, sessionId, true);
    throw error;
  }
}

/** Parses what was stored. @throws `STORE_DAMAGED` */
function parsed<T>(database: Database, sessionId: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw damagedSession(database, sessionId, messageOfError(error), error);
  }
}

async function readSession(
  database: Database,
  sessionId: string,
): Promise<ReadSession | 'missing' | undefined> {
  const query: Query = (sql, values) => database.often(sql, values);
  for (let attempt = 1; attempt < mostAttempts; attempt += 1) {
    const read = await readWith(query, database.schema, sessionId);
    if (read !== 'changed') return read;
  }
  const read = await database.transaction(async (client) => {
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    const inside: Query = async <R extends Record<string, unknown>>(
      sql: string,
      values: readonly unknown[],
    ) => {
      const { rows } = await client.query<R>(sql, [...values]);
      return rows;
    };
    return readWith(inside, database.schema, sessionId);
  });
  // Nothing changes within a transaction.
  return read === 'changed' ? 'missing' : read;
}

function headColumns(schema: string): string {
  return `s.id::text AS id, format, revision::float8 AS revision, messages AS count, run, claim, about, title, damaged, stop,
       extract(epoch FROM created_at)::float8 * 1000 AS created_at,
       extract(epoch FROM updated_at)::float8 * 1000 AS updated_at,
       extract(epoch FROM claim_expires - clock_timestamp())::float8 * 1000 AS claim_ms,
       (SELECT json_agg(json_build_array(plugin, key, entry)) FROM ${schema}.state WHERE session_id = s.id) AS state,
       (SELECT json_agg(json_build_array(key, entry)) FROM ${schema}.journal WHERE session_id = s.id) AS journal`;
}

async function readWith(
  query: Query,
  schema: string,
  sessionId: string,
): Promise<ReadSession | undefined | 'changed'> {
  const [row] = await query<Row & Record<string, unknown>>(
    `SELECT ${headColumns(schema)},
       (SELECT json_agg(json_build_array(position::text, message) ORDER BY position) FROM
         (SELECT position, message FROM ${schema}.messages WHERE session_id = s.id ORDER BY position LIMIT ${pageSize}) AS page
       ) AS messages
     FROM ${schema}.sessions s WHERE digest = $1`,
    [digestOf(encodeText(sessionId))],
  );
  if (row === undefined) return undefined;
  checkFormat(sessionId, row.format);
  const page = row.messages ?? [];
  const messages = page.map(([, text]) => text);
  let last = page.at(-1)?.[0];
  while (messages.length < row.count) {
    const more = await query<{ position: string; message: string; revision: number }>(
      `SELECT position::text AS position, message, revision::float8 AS revision FROM ${schema}.messages
       JOIN ${schema}.sessions s ON s.id = session_id
       WHERE session_id = $1 AND position > $2::numeric ORDER BY ${schema}.messages.position LIMIT ${pageSize}`,
      [row.id, last],
    );
    if (more.length === 0 || more.some(({ revision }) => revision !== row.revision)) return 'changed';
    for (const { message } of more) messages.push(message);
    last = more.at(-1)?.position;
  }
  return { row, messages };
}

/** Converts the rows to a record. @throws `STORE_DAMAGED` */
function parse(database: Database, sessionId: string, read: ReadSession | 'missing'): SessionRecord {
  if (read === 'missing') throw damagedSession(database, sessionId, 'messages are missing');
  const { row, messages } = read;
  const surplus = messages.length - row.count;
  if (surplus > 0) throw damagedSession(database, sessionId, `it has ${surplus} messages too many`);
  return parsed(database, sessionId, () => toRecord(sessionId, row, messages.map(messageOf)));
}

function messageOfError(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
}

// The casts below are safe: rows contain what a typed commit wrote.

function toRecord(sessionId: string, row: Row, messages: SessionRecord['messages']): SessionRecord {
  return Object.freeze({ ...headOf(sessionId, row), messages });
}

function headOf(sessionId: string, row: HeadRow): SessionHead {
  const about = aboutOf(row);
  return {
    format: row.format,
    id: sessionId,
    revision: row.revision,
    createdAt: Math.floor(row.created_at),
    updatedAt: Math.floor(row.updated_at),
    state: stateOf(row.state ?? []),
    journal: toObject((row.journal ?? []).map(([key, text]) => [key, parseFrozen(text) as JournalEntry])),
    ...(row.run === null ? {} : { run: parseFrozen(row.run) as RunRecord }),
    ...(row.claim === null || row.claim_ms === null ? {} : { claim: claimOf(row.claim, row.claim_ms) }),
    ...(about === undefined ? {} : { about }),
    ...(row.stop ? { stopRequested: true } : {}),
  };
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

/** Returns an object of these entries. `fromEntries` defines members, so that `__proto__` is a key like any other. */
function toObject<T>(entries: readonly (readonly [key: string, value: T])[]): Readonly<Record<string, T>> {
  return Object.freeze(Object.fromEntries(entries.map(([key, value]) => [decodeText(key), value])));
}

function messageOf(text: string): SessionRecord['messages'][number] {
  return parseFrozen(text) as SessionRecord['messages'][number];
}
