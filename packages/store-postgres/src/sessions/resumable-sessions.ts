import { encodeText, thisHost, type SessionSummary, type TakeFilter } from '@shallot/core/store';

import type { Database } from '../database/database.ts';
import { digestOf, isHeld } from './commit-session.ts';
import { columns, equalities, summaryOf, type Row } from './list-sessions.ts';

/** So long a worker has what it was given to itself before it claims it, in milliseconds. */
const takenMs = 2000;

/** Processes of this machine that have died are looked for no more often than this, in milliseconds. */
const deadMs = 2000;

/** Gives sessions to workers that look for work: each to one. */
export class ResumableSessions {
  readonly #database: Database;
  #dead: readonly string[] = [];
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Takes up to `count` sessions. Half of them are runs that no worker has begun, if there are any. */
  async take(
    count: number,
    { version, except = [], ...filter }: TakeFilter = {},
  ): Promise<readonly SessionSummary[]> {
    const values: unknown[] = [];
    const place = (value: unknown): string => `$${values.push(value)}`;
    const conditions = [
      ...equalities({ ...filter, resumable: true }, place),
      's.due IS NOT NULL AND NOT s.stop AND NOT s.damaged AND s.due <= clock_timestamp()',
      '(s.taken IS NULL OR s.taken <= clock_timestamp())',
    ];
    const isFree = 's.claim_expires IS NULL OR s.claim_expires <= clock_timestamp()';
    const dead = await this.#deadOwners();
    conditions.push(
      dead.length === 0 ? `(${isFree})` : `(${isFree} OR s.claim_owner = ANY (${place(dead)}))`,
    );
    if (version !== undefined)
      conditions.push(`(agent_version IS NULL OR agent_version = ${place(encodeText(version))})`);
    if (except.length > 0)
      conditions.push(`s.digest <> ALL (${place(except.map((id) => digestOf(encodeText(id))))})`);
    const where = conditions.join(' AND ');
    const most = place(count);
    const table = `${this.#database.schema}.sessions`;
    const inTurn = (more: string, limit: string): string =>
      `SELECT s.id FROM ${table} s WHERE ${where} AND ${more} ORDER BY s.due, s.listed LIMIT ${limit} FOR UPDATE SKIP LOCKED`;
    const rows = await this.#database.query<Row>(
      `WITH fresh AS (${inTurn('s.fresh', `(${most}::integer + 1) / 2`)}),
       others AS (${inTurn('s.id NOT IN (SELECT id FROM fresh)', `${most}::integer - (SELECT count(*) FROM fresh)`)}),
       given AS (SELECT id FROM fresh UNION ALL SELECT id FROM others)
       UPDATE ${table} s SET taken = clock_timestamp() + ${place(takenMs)} * interval '1 millisecond'
       FROM given WHERE s.id = given.id RETURNING ${columns}`,
      values,
    );
    return rows.map(summaryOf);
  }

  /** Returns the owners of claims whose processes on this machine have died: nobody waits for their leases to expire. */
  async #deadOwners(): Promise<readonly string[]> {
    if (performance.now() - this.#lookedAt < deadMs) return this.#dead;
    this.#lookedAt = performance.now();
    const rows = await this.#database.query<{
      readonly claim: string;
      readonly claim_owner: string;
      readonly left_ms: number;
    }>(
      `SELECT claim, claim_owner, extract(epoch FROM claim_expires - clock_timestamp())::float8 * 1000 AS left_ms
       FROM ${this.#database.schema}.sessions WHERE due IS NOT NULL AND NOT stop AND claim_host = $1
       AND claim_expires > clock_timestamp()`,
      [encodeText(thisHost())],
    );
    this.#dead = rows.flatMap(({ claim, claim_owner: owner, left_ms: leftMs }) =>
      isHeld(claim, leftMs) ? [] : [owner],
    );
    return this.#dead;
  }
}
