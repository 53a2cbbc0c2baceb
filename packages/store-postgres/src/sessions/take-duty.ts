import { decodeText, encodeText, type DutyTaken } from '@shallot/core/store';

import type { Database } from '../database/database.ts';
import { digestOf } from './commit-session.ts';

/**
 * Takes a duty unless it was taken within the period, by the clock of the database. Terms that were first seen less than
 * a 24th of the period ago cannot take it yet.
 */
export async function takeDuty(
  database: Database,
  duty: string,
  terms: string,
  periodMs: number,
): Promise<DutyTaken> {
  const table = `${database.schema}.duties`;
  const kind = digestOf(encodeText(duty));
  const own = digestOf(JSON.stringify([duty, terms]));
  const period = `($2 * interval '1 millisecond')`;
  const now = 'clock_timestamp()';
  return database.transaction(async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [kind.readBigInt64BE().toString()]);
    await client.query(`DELETE FROM ${table} WHERE duty = $1 AND asked_at < ${now} - 2 * ${period}`, [
      kind,
      periodMs,
    ]);
    await client.query(
      `INSERT INTO ${table} (digest, duty, terms, first_at, asked_at) VALUES ($1, $2, $3, ${now}, ${now})
       ON CONFLICT (digest) DO UPDATE SET asked_at = ${now}`,
      [own, kind, encodeText(terms)],
    );
    const { rowCount } = await client.query(
      `UPDATE ${table} SET taken_at = ${now} WHERE digest = $3 AND first_at <= ${now} - ${period} / 24
       AND NOT EXISTS (SELECT FROM ${table} WHERE duty = $1 AND taken_at > ${now} - ${period})`,
      [kind, periodMs, own],
    );
    const { rows } = await client.query<{ readonly terms: string }>(
      `SELECT terms FROM ${table} WHERE duty = $1 ORDER BY terms`,
      [kind],
    );
    return { isTaken: rowCount === 1, terms: rows.map((row) => decodeText(row.terms)) };
  });
}
