import { encodeText, thisHost, type SessionSummary, type TakeFilter } from '@shallot/core/store';

import type { Database } from '../database/database.ts';
import { digestOf, isHeld } from './commit-session.ts';
import {
  agentParts,
  columns,
  equalities,
  inTurn,
  isDue,
  isFree,
  summaryOf,
  type Row,
} from './list-sessions.ts';

/** The time that a worker has to claim a session that it was given, in milliseconds. */
const takenMs = 2000;

/** A claim of a process of this machine. */
interface LocalClaim {
  readonly claim: string;
  readonly owner: string;
  readonly left_ms: number;
}

/**
 * Takes up to `count` sessions for a worker that looks for work. At least half of them are runs that no worker has begun,
 * if there are enough.
 */
export async function takeResumable(
  database: Database,
  count: number,
  filter: TakeFilter = {},
): Promise<readonly SessionSummary[]> {
  const first = await takeOnce(database, count, filter, []);
  // The leases of dead processes of this machine need not expire first.
  if (first.dead.length === 0 || first.given.length === count) return first.given;
  const { given } = await takeOnce(database, count - first.given.length, filter, first.dead);
  return [...first.given, ...given];
}

async function takeOnce(
  database: Database,
  count: number,
  { version, except = [], agent, ...filter }: TakeFilter,
  dead: readonly string[],
): Promise<{ readonly given: readonly SessionSummary[]; readonly dead: readonly string[] }> {
  const values: unknown[] = [];
  const place = (value: unknown): string => `$${values.push(value)}`;
  const now = 'clock_timestamp()';
  const conditions = [
    ...equalities(filter, place),
    `${isDue} AND NOT s.damaged`,
    `(s.taken IS NULL OR s.taken <= ${now})`,
    dead.length === 0 ? `(${isFree})` : `(${isFree} OR s.claim_owner = ANY (${place(dead)}))`,
  ];
  if (version !== undefined)
    conditions.push(`(agent_version IS NULL OR agent_version = ${place(encodeText(version))})`);
  if (except.length > 0)
    conditions.push(`s.digest <> ALL (${place(except.map((id) => digestOf(encodeText(id))))})`);
  const most = `${place(count)}::integer`;
  const table = `${database.schema}.sessions`;
  const parts = agentParts(agent, place);
  const taking = (more: string, limit: string): string =>
    inTurn(table, [...conditions, more], parts, { limit, lock: 'FOR UPDATE SKIP LOCKED' });
  const rows = await database.query<Partial<Row> & { readonly local: readonly LocalClaim[] | null }>(
    `WITH fresh AS (${taking('s.fresh', `(${most} + 1) / 2`)}),
     others AS (${taking('s.id NOT IN (SELECT id FROM fresh)', `${most} - (SELECT count(*) FROM fresh)`)}),
     given AS (SELECT id FROM fresh UNION ALL SELECT id FROM others),
     taken AS (
       UPDATE ${table} s SET taken = ${now} + ${place(takenMs)} * interval '1 millisecond'
       FROM given WHERE s.id = given.id RETURNING ${columns}
     ),
     held AS (
       SELECT json_agg(json_build_object('claim', claim, 'owner', claim_owner,
         'left_ms', extract(epoch FROM claim_expires - ${now}) * 1000)) AS local
       FROM ${table} WHERE due IS NOT NULL AND claim_host = ${place(encodeText(thisHost()))}
       AND claim_expires > ${now}
     )
     SELECT taken.*, held.local FROM held LEFT JOIN taken ON true`,
    values,
  );
  const local = rows[0]?.local ?? [];
  return {
    // A single row without an id means that no session was taken.
    given: rows.flatMap((row) => (row.id === undefined || row.id === null ? [] : [summaryOf(row as Row)])),
    dead: local.flatMap(({ claim, owner, left_ms: leftMs }) => (isHeld(claim, leftMs) ? [] : [owner])),
  };
}
