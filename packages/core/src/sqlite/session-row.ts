import type { Claim } from '../base/claim.ts';
import { decodeText, encodeText, parseFrozen } from '../base/encode-text.ts';
import type { RunAgent, SessionAbout, SessionStatus, SessionSummary } from '../contract/store.ts';
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
  readonly about: string | null;
  readonly agent: string | null;
  readonly agent_version: string | null;
  readonly owner: string | null;
  readonly parent: string | null;
  readonly title: string | null;
}

/** Also searches a second index: if the first is damaged, a session must not appear to be missing. */
const otherwise = `
  SELECT 1 FROM sessions INDEXED BY sessions_by_status_and_name
    WHERE status IN ('running', 'completed', 'interrupted', 'aborted', 'failed', 'parked') AND session = :session
  UNION ALL
  SELECT 1 FROM sessions INDEXED BY sessions_by_status_and_name WHERE status IS NULL AND session = :session`;

/** Returns the checked row of a session; undefined if there is none. @throws `STORE_DAMAGED` */
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

/** Returns the number for a new session. */
export function nextSession(database: Database): number {
  return Number(database.prepare('SELECT ifnull(max(id), 0) + 1 AS id FROM sessions').get()?.['id']);
}

/** Adds or changes a row. Without `changed`, its session becomes the one that changed last. */
export function putSession(
  database: Database,
  { changed, ...row }: Omit<SessionRow, 'changed'> & { readonly changed: number | undefined },
): void {
  const next = { ...row, changed: changed ?? nextChange(database) };
  database.prepare(put).run({ ...next, crc: checksumOf(next) });
}

function nextChange(database: Database): number {
  const next = database.prepare('SELECT ifnull(max(changed), 0) + 1 AS changed FROM sessions').get();
  return Number(next?.['changed']);
}

const columns =
  'id session format revision created_at updated_at changed messages entries status interrupts claim due stop about agent agent_version owner parent title crc'.split(
    ' ',
  );

/** The columns that never change. */
const fixed: ReadonlySet<string> = new Set(['id', 'session', 'created_at']);

const put = `INSERT INTO sessions (${columns.join(', ')}) VALUES (${columns.map((name) => `:${name}`).join(', ')})
  ON CONFLICT (id) DO UPDATE SET ${columns
    .filter((name) => !fixed.has(name))
    .map((name) => `${name} = :${name}`)
    .join(', ')}`;

/** Changes only the claim, the stop request or the title of a session, which is not a commit. */
export function amendSession(
  database: Database,
  row: SessionRow,
  change: Partial<Pick<SessionRow, 'claim' | 'stop' | 'about' | 'title'>>,
): void {
  const changed = { ...row, ...change };
  database
    .prepare('UPDATE sessions SET claim = ?, stop = ?, about = ?, title = ?, crc = ? WHERE id = ?')
    .run(changed.claim, changed.stop, changed.about, changed.title, checksumOf(changed), row.id);
}

export function claimOf({ claim }: SessionRow): Claim | undefined {
  // The checksum proves that it is what was written.
  return claim === null ? undefined : (JSON.parse(claim) as Claim);
}

export function aboutOf({ about }: SessionRow): SessionAbout | undefined {
  // The checksum proves that it is what was written.
  return about === null ? undefined : (parseFrozen(about) as SessionAbout);
}

function agentOf({ agent, agent_version: version }: SessionRow): RunAgent | undefined {
  if (agent === null) return undefined;
  return { id: decodeText(agent), ...(version === null ? {} : { version: decodeText(version) }) };
}

export function summaryOf(row: SessionRow): SessionSummary {
  const about = aboutOf(row);
  const agent = agentOf(row);
  return {
    id: decodeText(row.session),
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    messages: row.messages,
    // The store wrote it; an altered row is found by its checksum before this.
    ...(row.status === null ? {} : { status: row.status as SessionStatus }),
    interrupts: row.interrupts,
    ...(agent === undefined ? {} : { agent }),
    ...(about === undefined ? {} : { about }),
    ...(row.stop === 1 ? { stopRequested: true } : {}),
  };
}

/** Returns the row if its checksum is correct; otherwise undefined. */
export function checkedRow(row: object): SessionRow | undefined {
  // STRICT columns have these types, and the checksum proves that they are what was written.
  const { crc, ...stored } = row as SessionRow & { readonly crc: number };
  return crc === checksumOf(stored) ? stored : undefined;
}

function checksumOf({ id, ...row }: SessionRow): number {
  const { session, format, revision, created_at, updated_at, changed, messages, entries } = row;
  const numbers = [format, revision, created_at, updated_at, changed, messages, entries];
  const others = [row.status, row.interrupts, row.claim, row.due, row.stop];
  // Rows written before these columns existed have no values for them.
  const about = row.about === null ? [] : [row.about];
  const filters = [row.agent, row.agent_version, row.owner, row.parent, row.title];
  const filtered = filters.every((each) => each === null) ? [] : [filters];
  return checksum(id, JSON.stringify([session, ...numbers, ...others, ...about, ...filtered]));
}
