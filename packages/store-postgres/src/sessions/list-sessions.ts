import {
  decodeText,
  encodeText,
  thisHost,
  type SessionFilter,
  type SessionStatus,
  type SessionSummary,
} from '@shallot/core/store';

import type { Database } from '../database/database.ts';
import { digestOf, isHeld } from './commit-session.ts';

const pageSize = 100;

interface Row extends Record<string, unknown> {
  readonly session: string;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly messages: number;
  readonly status: SessionStatus | null;
  readonly interrupts: number;
  readonly claim: string | null;
  readonly claim_ms: number | null;
  readonly due_ms: number | null;
}

const columns = `session, revision::float8 AS revision, messages, status, interrupts, claim,
  extract(epoch FROM created_at)::float8 * 1000 AS created_at, extract(epoch FROM updated_at)::float8 * 1000 AS updated_at,
  extract(epoch FROM claim_expires - clock_timestamp())::float8 * 1000 AS claim_ms,
  CASE WHEN stop THEN NULL ELSE extract(epoch FROM s.due - clock_timestamp())::float8 * 1000 END AS due_ms`;

/** What is asked for a listing, by what narrows it: each finds its rows by an index, and looks at no others. */
const listQueries = {
  all: (schema: string) =>
    `SELECT ${columns} FROM ${schema}.sessions s WHERE s.revision < $1 ORDER BY s.revision DESC LIMIT ${pageSize}`,
  status: (schema: string) =>
    `SELECT ${columns} FROM ${schema}.sessions s WHERE status = $2 AND s.revision < $1 ORDER BY s.revision DESC LIMIT ${pageSize}`,
  id: (schema: string) => `SELECT ${columns} FROM ${schema}.sessions s WHERE digest = $1`,
  prefix: (schema: string) =>
    `SELECT id::text AS id, revision::float8 AS revision FROM ${schema}.sessions s
     WHERE left(session, 200) >= left($1, 200) AND ($2::text IS NULL OR left(session, 200) < $2)
     ORDER BY s.revision DESC`,
  some: (schema: string) =>
    `SELECT ${columns} FROM ${schema}.sessions s WHERE id = ANY ($1::bigint[]) ORDER BY s.revision DESC`,
  resumable: (schema: string) =>
    `SELECT ${columns}, s.due::text AS due_text FROM ${schema}.sessions s
     WHERE s.due IS NOT NULL AND NOT s.stop AND s.due <= clock_timestamp() AND (s.due, s.revision) > ($1::timestamptz, $2)
       AND (claim_expires IS NULL OR claim_expires <= clock_timestamp() OR claim_host = $3)
     ORDER BY s.due, s.revision LIMIT ${pageSize}`,
};

/** Summaries, the latest change first; of what workers may resume, the first one due first. */
export async function* listSessions(
  database: Database,
  filter: SessionFilter,
): AsyncGenerator<SessionSummary> {
  const { status, prefix = '', resumable } = filter;
  for await (const page of pagesOf(database, filter)) {
    for (const row of page) {
      const summary = summaryOf(row);
      if (!summary.id.startsWith(prefix)) continue;
      if (status !== undefined && summary.status !== status) continue;
      if (resumable !== true || isResumable(row)) yield summary;
    }
  }
}

function isResumable({ due_ms: dueMs, claim, claim_ms: claimMs }: Row): boolean {
  return dueMs !== null && dueMs <= 0 && !isHeld(claim, claimMs);
}

function pagesOf(database: Database, filter: SessionFilter): AsyncGenerator<readonly Row[]> {
  const { id, status, prefix = '', resumable } = filter;
  if (id !== undefined) return byId(database, id);
  if (resumable === true) return byDue(database);
  // Half a surrogate pair at the end is written otherwise than in a pair: the whole prefix is looked at afterwards.
  const begin = encodeText(prefix.replace(/[\uD800-\uDBFF]$/, ''));
  return begin === '' ? byChange(database, status) : byPrefix(database, begin);
}

async function* byId(database: Database, id: string): AsyncGenerator<readonly Row[]> {
  yield await database.query<Row>(listQueries.id(database.schema), [digestOf(encodeText(id))]);
}

async function* byChange(database: Database, status: string | undefined): AsyncGenerator<readonly Row[]> {
  let revision = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const page =
      status === undefined
        ? await database.query<Row>(listQueries.all(database.schema), [revision])
        : await database.query<Row>(listQueries.status(database.schema), [revision, status]);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    revision = last.revision;
  }
}

async function* byDue(database: Database): AsyncGenerator<readonly Row[]> {
  let [due, revision] = ['-infinity', 0];
  for (;;) {
    const sql = listQueries.resumable(database.schema);
    const page = await database.query<Row & { due_text: string }>(sql, [
      due,
      revision,
      encodeText(thisHost()),
    ]);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    [due, revision] = [last.due_text, last.revision];
  }
}

/** All are found first and put in order: continuing from a page would look at all of them again. */
async function* byPrefix(database: Database, begin: string): AsyncGenerator<readonly Row[]> {
  const sql = listQueries.prefix(database.schema);
  const found = await database.query<{ id: string }>(sql, [
    begin,
    firstAfter(Array.from(begin).slice(0, 200).join('')),
  ]);
  for (let from = 0; from < found.length; from += pageSize) {
    const ids = found.slice(from, from + pageSize).map(({ id }) => id);
    yield await database.query<Row>(listQueries.some(database.schema), [ids]);
  }
}

/** The first string after all that begin with this one, by code points; null if there is none. */
export function firstAfter(begin: string): string | null {
  const points = Array.from(begin, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === 0x10_ff_ff) points.pop();
  const last = points.pop();
  if (last === undefined) return null;
  // Surrogates are no characters of their own.
  return String.fromCodePoint(...points, last + 1 === 0xd8_00 ? 0xe0_00 : last + 1);
}

function summaryOf(row: Row): SessionSummary {
  return {
    id: decodeText(row.session),
    revision: row.revision,
    createdAt: Math.floor(row.created_at),
    updatedAt: Math.floor(row.updated_at),
    messages: row.messages,
    ...(row.status === null ? {} : { status: row.status }),
    interrupts: row.interrupts,
  };
}
