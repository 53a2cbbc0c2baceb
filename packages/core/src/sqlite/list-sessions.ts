import { isClaimLive } from '../base/claim.ts';
import { encodeText } from '../base/encode-text.ts';
import type { SessionFilter, SessionSummary } from '../contract/store.ts';
import type { Database } from './database.ts';
import { checkedRow, claimOf, damagedSummary, summaryOf, type SessionRow } from './session-row.ts';

const pageSize = 100;

/** What is asked of SQLite for a listing, by what narrows it: each finds its rows by an index, and looks at no others. */
export const listQueries = {
  all: `SELECT * FROM sessions WHERE changed < :changed ORDER BY changed DESC LIMIT ${pageSize}`,
  status: `SELECT * FROM sessions WHERE status = :status AND changed < :changed ORDER BY changed DESC LIMIT ${pageSize}`,
  prefix: 'SELECT id, changed FROM sessions WHERE session >= :begin AND session < CAST(:end AS TEXT)',
  statusAndPrefix:
    'SELECT id, changed FROM sessions WHERE status = :status AND session >= :begin AND session < CAST(:end AS TEXT)',
  resumable: `SELECT * FROM sessions WHERE stop = 0 AND due <= :now AND (due, changed) > (:due, :changed) ORDER BY due, changed LIMIT ${pageSize}`,
  session: 'SELECT * FROM sessions WHERE session = :session',
  one: 'SELECT * FROM sessions WHERE id = :id AND changed = :changed',
} as const;

/** Summaries, the latest change first. One that changes meanwhile may be left out; a damaged one says so. */
export async function* listSessions(
  database: Database,
  filter: SessionFilter,
): AsyncGenerator<SessionSummary> {
  const { status, prefix = '', resumable } = filter;
  for await (const page of pagesOf(database, filter)) {
    for (const found of page) {
      const row = checkedRow(found);
      const summary = row === undefined ? damagedSummary(found) : summaryOf(row);
      if (!summary.id.startsWith(prefix)) continue;
      if (row !== undefined && status !== undefined && summary.status !== status) continue;
      if (row === undefined || resumable !== true || isFree(row)) yield summary;
    }
  }
}

type Row = Readonly<Record<string, unknown>>;

/** The rows that a filter may find, by the index that narrows it most. */
function pagesOf(
  database: Database,
  { id, status, prefix = '', resumable }: SessionFilter,
): AsyncGenerator<readonly Row[]> {
  if (id !== undefined) return bySession(database, id, resumable);
  if (resumable === true) return byDue(database);
  // Half a surrogate pair at the end is written otherwise than in a pair: the whole prefix is looked at afterwards.
  const begin = encodeText(prefix.replace(/[\uD800-\uDBFF]$/, ''));
  return begin === '' ? byChange(database, status) : byPrefix(database, begin, status);
}

/** Whether nobody works on a session. */
function isFree(row: SessionRow): boolean {
  const claim = claimOf(row);
  return claim === undefined || !isClaimLive(claim);
}

async function* bySession(
  database: Database,
  id: string,
  resumable: true | undefined,
): AsyncGenerator<readonly Row[]> {
  const rows =
    (await database.read(() => rowsOf(database, listQueries.session, { session: encodeText(id) }))) ?? [];
  yield rows.filter(
    ({ due, stop }) => resumable !== true || (due !== null && Number(due) <= Date.now() && stop === 0),
  );
}

/** What workers may resume, the first one due first. */
async function* byDue(database: Database): AsyncGenerator<readonly Row[]> {
  const now = Date.now();
  let [due, changed] = [-1, 0];
  for (;;) {
    const page = await database.read(() => rowsOf(database, listQueries.resumable, { now, due, changed }));
    const last = page?.at(-1);
    if (page === undefined || last === undefined) return;
    yield page;
    [due, changed] = [Number(last['due']), Number(last['changed'])];
  }
}

async function* byChange(database: Database, status: string | undefined): AsyncGenerator<readonly Row[]> {
  let changed = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const page = await database.read(() =>
      status === undefined
        ? rowsOf(database, listQueries.all, { changed })
        : rowsOf(database, listQueries.status, { changed, status }),
    );
    const last = page?.at(-1);
    if (page === undefined || last === undefined) return;
    yield page;
    changed = Number(last['changed']);
  }
}

/** All are found first and put in order: going on from a page would look at all of them again. */
async function* byPrefix(
  database: Database,
  begin: string,
  status: string | undefined,
): AsyncGenerator<readonly Row[]> {
  // UTF-8 has no byte 0xFF: it comes after whatever follows the prefix.
  const range = { begin, end: Buffer.concat([Buffer.from(begin), Buffer.of(0xff)]) };
  const found = await database.read(() =>
    status === undefined
      ? rowsOf(database, listQueries.prefix, range)
      : rowsOf(database, listQueries.statusAndPrefix, { ...range, status }),
  );
  const latestFirst = (found ?? [])
    .map(({ id, changed }) => ({ id: Number(id), changed: Number(changed) }))
    .toSorted((a, b) => b.changed - a.changed);
  for (let from = 0; from < latestFirst.length; from += pageSize) {
    const page = latestFirst.slice(from, from + pageSize);
    yield (await database.read(() => page.flatMap((one) => rowsOf(database, listQueries.one, one)))) ?? [];
  }
}

function rowsOf(
  database: Database,
  sql: string,
  values: Record<string, string | number | Uint8Array>,
): Row[] {
  const statement = database.prepare(sql);
  // A damaged number can be larger than any of ours, and must not keep the rows beside it from being read.
  statement.setReadBigInts(true);
  return statement.all(values).map((row) => {
    const columns = Object.entries(row).map(([name, value]) => [name, numberOf(value)] as const);
    return Object.fromEntries(columns);
  });
}

function numberOf(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
