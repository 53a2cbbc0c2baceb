import type { Claim } from '../base/claim.ts';
import { decodeText, encodeText } from '../base/encode-text.ts';
import type { SessionStatus, SessionSummary } from '../contract/store.ts';
import { checksum } from './checksum.ts';
import type { Database } from './database.ts';
import { damaged } from './sqlite-errors.ts';

/** A row of `sessions`, as it is stored. */
export interface SessionRow {
  readonly id: number;
  readonly session: string;
  readonly format: number;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly changed: number;
  readonly messages: number;
  readonly entries: number;
  readonly status: string | null;
  readonly interrupts: number;
  readonly claim: string | null;
  readonly due: number | null;
  readonly stop: number;
}

/** A second index that names each session: a damaged first one must not make a session look as if it had never been. */
const otherwise = `
  SELECT 1 FROM sessions INDEXED BY sessions_by_status_and_name
    WHERE status IN ('running', 'completed', 'interrupted', 'aborted', 'failed', 'parked') AND session = :session
  UNION ALL
  SELECT 1 FROM sessions INDEXED BY sessions_by_status_and_name WHERE status IS NULL AND session = :session`;

/** The row of a session, checked. @throws `STORE_DAMAGED` */
export function findSession(database: Database, session: string): SessionRow | undefined {
  const encoded = encodeText(session);
  const found = database.prepare('SELECT * FROM sessions WHERE session = ?').get(encoded);
  if (found === undefined) {
    if (database.prepare(otherwise).get({ session: encoded }) === undefined) return undefined;
    throw damaged(database.path, `the index of its sessions misses "${encoded}"`);
  }
  const row = checkedRow(found);
  if (row !== undefined) return row;
  throw damaged(database.path, `the row of session "${String(found['session'])}" was altered`);
}

/** The number of a session that is to be added. */
export function nextSession(database: Database): number {
  return Number(database.prepare('SELECT ifnull(max(id), 0) + 1 AS id FROM sessions').get()?.['id']);
}

/** Adds or changes a row, as the one that changed last. */
export function putSession(database: Database, row: Omit<SessionRow, 'changed'>): void {
  const next = database.prepare('SELECT ifnull(max(changed), 0) + 1 AS changed FROM sessions').get();
  const changed = { ...row, changed: Number(next?.['changed']) };
  database
    .prepare(
      `INSERT INTO sessions
         (id, session, format, revision, created_at, updated_at, changed, messages, entries, status, interrupts,
          claim, due, stop, crc)
       VALUES
         (:id, :session, :format, :revision, :created_at, :updated_at, :changed, :messages, :entries, :status,
          :interrupts, :claim, :due, :stop, :crc)
       ON CONFLICT (id) DO UPDATE SET
         format = :format, revision = :revision, updated_at = :updated_at, changed = :changed, messages = :messages,
         entries = :entries, status = :status, interrupts = :interrupts, claim = :claim, due = :due,
         stop = :stop, crc = :crc`,
    )
    .run({ ...changed, crc: checksumOf(changed) });
}

/** Changes the claim, or the mark to stop, alone: it is no commit. */
export function amendSession(
  database: Database,
  row: SessionRow,
  change: Partial<Pick<SessionRow, 'claim' | 'stop'>>,
): void {
  const changed = { ...row, ...change };
  database
    .prepare('UPDATE sessions SET claim = ?, stop = ?, crc = ? WHERE id = ?')
    .run(changed.claim, changed.stop, checksumOf(changed), row.id);
}

export function claimOf({ claim }: SessionRow): Claim | undefined {
  // The checksum proves that it is what was written.
  return claim === null ? undefined : (JSON.parse(claim) as Claim);
}

export function summaryOf(row: SessionRow): SessionSummary {
  return {
    id: decodeText(row.session),
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    messages: row.messages,
    // The store wrote it; an altered row is found by its checksum before this.
    ...(row.status === null ? {} : { status: row.status as SessionStatus }),
    interrupts: row.interrupts,
  };
}

/** What can be told of a session whose row is not as it was written: its id, as far as that can be read. */
export function damagedSummary({ session }: Readonly<Record<string, unknown>>): SessionSummary {
  return {
    id: readableText(String(session)),
    revision: 0,
    createdAt: 0,
    updatedAt: 0,
    messages: 0,
    interrupts: 0,
    damaged: true,
  };
}

function readableText(encoded: string): string {
  try {
    return decodeText(encoded);
  } catch {
    // Damaged: shown as it is stored.
    return encoded;
  }
}

/** The row, if its checksum is right. */
export function checkedRow(row: object): SessionRow | undefined {
  // STRICT columns have these types, and the checksum proves that they are what was written.
  const { crc, ...stored } = row as SessionRow & { readonly crc: number };
  return crc === checksumOf(stored) ? stored : undefined;
}

function checksumOf({ id, ...row }: SessionRow): number {
  const { session, format, revision, created_at, updated_at, changed, messages, entries } = row;
  const numbers = [format, revision, created_at, updated_at, changed, messages, entries];
  return checksum(
    id,
    JSON.stringify([session, ...numbers, row.status, row.interrupts, row.claim, row.due, row.stop]),
  );
}
