import {
  damagedSummary,
  decodeText,
  encodedPrefix,
  encodeText,
  filterSessions,
  thisHost,
  type ListingOrder,
  type ListingPlace,
  type RunAgent,
  type SessionFilter,
  type SessionStatus,
  type SessionSummary,
} from '@shallot/core/store';

import type { Database } from '../database/database.ts';
import { outermost } from '../database/migrations.ts';
import { aboutOf, claimOf, digestOf, isHeld } from './commit-session.ts';

const pageSize = 100;

export interface Row extends Record<string, unknown> {
  readonly id: string;
  readonly session: string;
  readonly revision: number;
  readonly listed: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly messages: number;
  readonly status: SessionStatus | null;
  readonly interrupts: number;
  readonly agent: string | null;
  readonly agent_version: string | null;
  readonly claim: string | null;
  readonly claim_ms: number | null;
  readonly due_ms: number | null;
  readonly due_text: string | null;
  readonly about: string | null;
  readonly title: string | null;
  readonly damaged: boolean;
  readonly stop: boolean;
}

export const columns = `s.id::text AS id, session, revision::float8 AS revision, listed::text AS listed, messages, status, interrupts,
  agent, agent_version, claim, about, title, damaged, stop,
  extract(epoch FROM created_at)::float8 * 1000 AS created_at, extract(epoch FROM updated_at)::float8 * 1000 AS updated_at,
  extract(epoch FROM claim_expires - clock_timestamp())::float8 * 1000 AS claim_ms, s.due::text AS due_text,
  extract(epoch FROM s.due - clock_timestamp())::float8 * 1000 AS due_ms`;

/** Lists sessions in the order that the filter asks for. */
export function listSessions(database: Database, filter: SessionFilter): AsyncGenerator<SessionSummary> {
  return filterSessions<Row>(filter, {
    bySession: (id) =>
      database.query<Row>(`SELECT ${columns} FROM ${database.schema}.sessions s WHERE digest = $1`, [
        digestOf(encodeText(id)),
      ]),
    nextPage(order, after) {
      const { sql, values } = listQuery(database.schema, filter, order, after);
      return database.query<Row>(sql, values);
    },
    placeOf,
    summaryOf,
    isResumable,
  });
}

/** Returns the SQL of a page. Each filter finds its rows by an index. */
function listQuery(
  schema: string,
  filter: SessionFilter,
  order: ListingOrder,
  after: ListingPlace | undefined,
): { readonly sql: string; readonly values: readonly unknown[] } {
  const values: unknown[] = [];
  const place = (value: unknown): string => `$${values.push(value)}`;
  const table = `${schema}.sessions`;
  const conditions = equalities(filter, place);
  if (filter.prefix !== undefined) conditions.push(...beginsWith(filter, place));
  if (order === 'due') {
    const host = place(encodeText(thisHost()));
    conditions.push(isDue, `(${isFree} OR claim_host = ${host})`);
    if (after !== undefined)
      conditions.push(`(s.due, s.listed) > (${place(after[0])}::timestamptz, ${place(after[1])}::bigint)`);
    const ids = inTurn(table, conditions, agentParts(filter.agent, place), { limit: String(pageSize) });
    return {
      sql: `SELECT ${columns} FROM ${table} s WHERE s.id IN (${ids}) ORDER BY s.due, s.listed`,
      values,
    };
  }
  if (filter.agent !== undefined) conditions.push(`agent = ${place(encodeText(filter.agent))}`);
  if (filter.parent === undefined) conditions.push(outermost);
  if (after !== undefined)
    conditions.push(
      order === 'change'
        ? `s.listed < ${place(after[0])}::bigint`
        : `(left(session, 200), s.id) > (${place(after[0])}, ${place(after[1])}::bigint)`,
    );
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return {
    sql: `SELECT ${columns} FROM ${table} s ${where} ORDER BY ${orders[order]} LIMIT ${pageSize}`,
    values,
  };
}

const orders = { name: 'left(session, 200), s.id', change: 's.listed DESC' } as const;

/**
 * The conditions for runs that workers may take, and for runs without a live claim. They compare with the time of the
 * statement, by which an index can be searched. They do not exclude null times explicitly, because the planner would
 * then count them twice in its estimate.
 */
export const isDue = 's.due <= statement_timestamp()';
export const isFree = 's.claim_expires IS NULL OR s.claim_expires <= statement_timestamp()';

/** Returns the conditions for columns that must equal a value, except for the agent. */
export function equalities(
  filter: Omit<SessionFilter, 'agent'>,
  place: (value: unknown) => string,
): string[] {
  const conditions = filter.status === undefined ? [] : [`status = ${place(filter.status)}`];
  for (const key of ['owner', 'parent', 'title'] as const) {
    const value = filter[key];
    if (value !== undefined) conditions.push(`${key} = ${place(encodeText(value))}`);
  }
  return conditions;
}

/** Returns the alternative conditions for the runs that a worker may take: they belong to its agent, or to no agent. */
export function agentParts(agent: string | undefined, place: (value: unknown) => string): string[] {
  return agent === undefined ? ['true'] : [`s.agent = ${place(encodeText(agent))}`, 's.agent IS NULL'];
}

/**
 * Returns the SQL for the ids of runs in the order in which they are due. Each part finds its rows through a separate
 * index.
 */
export function inTurn(
  table: string,
  conditions: readonly string[],
  parts: readonly string[],
  { limit, lock = '' }: { readonly limit: string; readonly lock?: string },
): string {
  const queries = parts.map(
    (part) =>
      `(SELECT * FROM (SELECT s.id, s.due, s.listed FROM ${table} s WHERE ${[...conditions, part].join(' AND ')}
       ORDER BY s.due, s.listed LIMIT ${limit} ${lock}) part)`,
  );
  return `SELECT id FROM (${queries.join(' UNION ALL ')}) parts ORDER BY due, listed LIMIT ${limit}`;
}

function beginsWith(filter: SessionFilter, place: (value: unknown) => string): string[] {
  const begin = Array.from(encodedPrefix(filter)).slice(0, 200).join('');
  const end = firstAfter(begin);
  return [
    `left(session, 200) >= ${place(begin)}`,
    ...(end === null ? [] : [`left(session, 200) < ${place(end)}`]),
  ];
}

function placeOf({ id, session, listed, due_text: due }: Row, order: ListingOrder): ListingPlace {
  if (order === 'name') return [Array.from(session).slice(0, 200).join(''), id];
  return order === 'due' ? [due ?? '', listed] : [listed];
}

function isResumable({ due_ms: dueMs, claim, claim_ms: claimMs }: Row): boolean {
  return dueMs !== null && dueMs <= 0 && !isHeld(claim, claimMs);
}

/** Returns the first string after all strings that begin with this one, by code points; null if there is none. */
export function firstAfter(begin: string): string | null {
  const points = Array.from(begin, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === 0x10_ff_ff) points.pop();
  const last = points.pop();
  if (last === undefined) return null;
  // Skips surrogates, which are not characters.
  return String.fromCodePoint(...points, last + 1 === 0xd8_00 ? 0xe0_00 : last + 1);
}

function agentOf({ agent, agent_version: version }: Row): RunAgent | undefined {
  if (agent === null) return undefined;
  return { id: decodeText(agent), ...(version === null ? {} : { version: decodeText(version) }) };
}

/**
 * Returns the summary of a session. It has only the id if the session is damaged, by its row or by the note of an
 * earlier load.
 */
export function summaryOf(row: Row): SessionSummary {
  if (row.damaged) return damagedSummary(row.session);
  try {
    // Checked in any case, although only some listings use the claim.
    if (row.claim !== null) claimOf(row.claim, 0);
    return wholeSummary(row);
  } catch {
    // A row that cannot be read is listed as damaged.
    return damagedSummary(row.session);
  }
}

function wholeSummary(row: Row): SessionSummary {
  const agent = agentOf(row);
  const about = aboutOf(row);
  return {
    id: decodeText(row.session),
    revision: row.revision,
    createdAt: Math.floor(row.created_at),
    updatedAt: Math.floor(row.updated_at),
    messages: row.messages,
    ...(row.status === null ? {} : { status: row.status }),
    interrupts: row.interrupts,
    ...(agent === undefined ? {} : { agent }),
    ...(about === undefined ? {} : { about }),
    ...(row.stop ? { stopRequested: true } : {}),
  };
}
