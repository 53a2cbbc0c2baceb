import { isClaimLive } from '../base/claim.ts';
import { encodeText } from '../base/encode-text.ts';
import type { SessionFilter, SessionSummary } from '../contract/store.ts';
import { damagedSummary } from '../sessions/stores/damaged-summary.ts';
import {
  encodedPrefix,
  filterSessions,
  type ListingOrder,
  type ListingPlace,
} from '../sessions/stores/filter-sessions.ts';
import type { Database } from './database.ts';
import { checkedRow, claimOf, summaryOf } from './session-row.ts';

const pageSize = 100;

type Row = Readonly<Record<string, unknown>>;

/** Lists sessions. A session that changes during the listing may be missing; a damaged one is marked. */
export function listSessions(database: Database, filter: SessionFilter): AsyncGenerator<SessionSummary> {
  return filterSessions<Row>(filter, {
    bySession: (id) => bySession(database, id, filter.resumable),
    async nextPage(order, after) {
      const { sql, values } = listQuery(filter, order, after);
      return (await database.read(() => rowsOf(database, sql, values))) ?? [];
    },
    placeOf,
    summaryOf(found) {
      const row = checkedRow(found);
      return row === undefined ? damagedSummary(String(found['session'])) : summaryOf(row);
    },
    isResumable: isFree,
  });
}

/** Returns the SQL of a page for a filter. Each query finds its rows by an index. */
export function listQuery(
  filter: SessionFilter,
  order: ListingOrder,
  after: ListingPlace | undefined,
): { readonly sql: string; readonly values: Record<string, string | number | Uint8Array> } {
  const values: Record<string, string | number | Uint8Array> = {};
  const conditions: string[] = [];
  const add = (condition: string, given: Record<string, string | number | Uint8Array>): void => {
    conditions.push(condition);
    Object.assign(values, given);
  };
  const { status, agent, resumable } = filter;
  if (status !== undefined) add('status = :status', { status });
  if (agent !== undefined)
    add(resumable === true ? '(agent = :agent OR agent IS NULL)' : 'agent = :agent', {
      agent: encodeText(agent),
    });
  for (const key of ['owner', 'parent', 'title'] as const) {
    const value = filter[key];
    if (value !== undefined) add(`${key} = :${key}`, { [key]: encodeText(value) });
  }
  const [first, second] = after ?? [];
  if (order === 'due') {
    add('due <= :now', { now: Date.now() });
    add('(due, changed) > (:due, :changed)', { due: Number(first ?? -1), changed: Number(second ?? 0) });
  } else if (order === 'change') {
    add('changed < :changed', { changed: Number(first ?? Number.MAX_SAFE_INTEGER) });
  } else {
    const begin = encodedPrefix(filter);
    // UTF-8 never contains the byte 0xFF, so it sorts after all texts with the prefix.
    add('session >= :begin AND session < CAST(:end AS TEXT)', {
      begin,
      end: Buffer.concat([Buffer.from(begin), Buffer.of(0xff)]),
    });
    if (after !== undefined) add('session > :session', { session: String(first) });
  }
  const where = conditions.join(' AND ');
  return {
    sql: `SELECT * FROM sessions WHERE ${where} ORDER BY ${orders[order]} LIMIT ${pageSize}`,
    values,
  };
}

const orders = { due: 'due, changed', name: 'session', change: 'changed DESC' } as const;

function placeOf({ due, changed, session }: Row, order: ListingOrder): ListingPlace {
  if (order === 'name') return [String(session)];
  return order === 'due' ? [Number(due), Number(changed)] : [Number(changed)];
}

/** Returns true if no run holds the session. */
function isFree(found: Row): boolean {
  const row = checkedRow(found);
  const claim = row && claimOf(row);
  return claim === undefined || !isClaimLive(claim);
}

async function bySession(
  database: Database,
  id: string,
  resumable: true | undefined,
): Promise<readonly Row[]> {
  const sql = 'SELECT * FROM sessions WHERE session = :session';
  const rows = (await database.read(() => rowsOf(database, sql, { session: encodeText(id) }))) ?? [];
  return rows.filter(({ due }) => resumable !== true || (due !== null && Number(due) <= Date.now()));
}

function rowsOf(
  database: Database,
  sql: string,
  values: Record<string, string | number | Uint8Array>,
): Row[] {
  const statement = database.prepare(sql);
  // A damaged number may exceed 2^53, and must not prevent reading the other rows.
  statement.setReadBigInts(true);
  return statement.all(values).map((row) => {
    const columns = Object.entries(row).map(([name, value]) => [name, numberOf(value)] as const);
    return Object.fromEntries(columns);
  });
}

function numberOf(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
