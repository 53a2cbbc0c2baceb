import type { Claim, RunRecord, SessionFilter, SessionSummary } from '../store.ts';
import type { Database } from './database.ts';
import { checksum, decodeText, encodeText } from './row-text.ts';
import { damaged } from './sqlite-errors.ts';

/** A row of `sessions`, as it is stored. */
export interface SessionRow {
  readonly id: number;
  readonly session: string;
  readonly format: number;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly messages: number;
  readonly status: string | null;
  readonly interrupts: number;
  readonly claim: string | null;
}

interface StoredRow extends SessionRow {
  readonly changed: number;
  readonly crc: number;
}

const pageSize = 100;

/** The row of a session, checked. @throws `STORE_DAMAGED` */
export function findSession(database: Database, session: string): SessionRow | undefined {
  const row = database.prepare('SELECT * FROM sessions WHERE session = ?').get(encodeText(session));
  return row && checkRow(database, row);
}

/** The next rows of a listing: those that changed before `changed`, the latest first. */
export function listSessions(
  database: Database,
  { status, prefix = '' }: SessionFilter,
  changed: number,
): readonly StoredRow[] {
  // Half a surrogate pair at the end is written otherwise than in a pair; the caller looks at the whole prefix again.
  const begin = encodeText(prefix.replace(/[\uD800-\uDBFF]$/, ''));
  return database
    .prepare(
      `SELECT * FROM sessions
       WHERE changed < :changed AND (:status IS NULL OR status = :status)
         AND substr(session, 1, length(:begin)) = :begin
       ORDER BY changed DESC LIMIT ${pageSize}`,
    )
    .all({ changed, status: status ?? null, begin })
    .map((row) => checkRow(database, row));
}

/** Adds or changes a row; gives its id. */
export function putSession(
  database: Database,
  row: Omit<SessionRow, 'id'> & { readonly id?: number },
): number {
  const { id, session, format, revision, created_at, updated_at, messages, status, interrupts, claim } = row;
  const columns = { session, format, revision, created_at, updated_at, messages, status, interrupts, claim };
  const { lastInsertRowid } = database
    .prepare(
      `INSERT INTO sessions
         (id, session, format, revision, created_at, updated_at, messages, status, interrupts, claim, crc, changed)
       VALUES
         (:id, :session, :format, :revision, :created_at, :updated_at, :messages, :status, :interrupts, :claim, :crc,
          (SELECT ifnull(max(changed), 0) + 1 FROM sessions))
       ON CONFLICT (id) DO UPDATE SET
         format = :format, revision = :revision, updated_at = :updated_at, messages = :messages, status = :status,
         interrupts = :interrupts, claim = :claim, crc = :crc, changed = excluded.changed`,
    )
    .run({ ...columns, id: id ?? null, crc: checksumOf(columns) });
  return id ?? Number(lastInsertRowid);
}

/** Changes the claim alone: it is no commit. */
export function putClaim(database: Database, row: SessionRow, claim: Claim): void {
  const changed = { ...row, claim: JSON.stringify(claim) };
  database
    .prepare('UPDATE sessions SET claim = ?, crc = ? WHERE id = ?')
    .run(changed.claim, checksumOf(changed), row.id);
}

export function claimOf({ claim }: SessionRow): Claim | undefined {
  // The checksum proves that it is what was written.
  return claim === null ? undefined : (JSON.parse(claim) as Claim);
}

export function summaryOf(row: SessionRow): SessionSummary {
  return {
    session: decodeText(row.session),
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    messages: row.messages,
    ...(row.status === null ? {} : { status: row.status as RunRecord['status'] }),
    interrupts: row.interrupts,
  };
}

function checkRow(database: Database, row: object): StoredRow {
  // STRICT columns have these types, and the checksum proves that they are what was written.
  const stored = row as StoredRow;
  if (stored.crc === checksumOf(stored)) return stored;
  throw damaged(database.path, `what it says of session "${stored.session}" was altered`);
}

function checksumOf(row: Omit<SessionRow, 'id'>): number {
  const { session, format, revision, created_at, updated_at, messages, status, interrupts, claim } = row;
  return checksum(
    JSON.stringify([session, format, revision, created_at, updated_at, messages, status, interrupts, claim]),
  );
}
