import { decodeText, encodeText } from '../base/encode-text.ts';
import type { DutyTaken } from '../contract/store.ts';
import type { Database } from './database.ts';

/**
 * Takes a duty unless it was taken within the period. Terms that were first seen less than a 24th of the period ago
 * cannot take it yet. Call it in a transaction.
 */
export function takeDuty(database: Database, given: string, givenTerms: string, periodMs: number): DutyTaken {
  const [duty, terms] = [encodeText(given), encodeText(givenTerms)];
  const now = Date.now();
  const run = (sql: string, ...values: readonly (string | number)[]): number =>
    Number(database.prepare(sql).run(...values).changes);
  run('DELETE FROM duties WHERE duty = ? AND asked_at < ?', duty, now - 2 * periodMs);
  run(
    `INSERT INTO duties (duty, terms, first_at, asked_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (duty, terms) DO UPDATE SET asked_at = excluded.asked_at`,
    duty,
    terms,
    now,
    now,
  );
  const taken = run(
    `UPDATE duties SET taken_at = ? WHERE duty = ? AND terms = ? AND first_at <= ?
     AND NOT EXISTS (SELECT 1 FROM duties WHERE duty = ? AND taken_at > ?)`,
    now,
    duty,
    terms,
    now - periodMs / 24,
    duty,
    now - periodMs,
  );
  const rows = database.prepare('SELECT terms FROM duties WHERE duty = ? ORDER BY terms').all(duty);
  return { isTaken: taken === 1, terms: rows.map((row) => decodeText(String(row['terms']))) };
}
