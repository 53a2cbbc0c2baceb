import type { SessionFilter, SessionSummary } from '../contract/store.ts';
import type { Database } from './database.ts';
import { encodeText } from './row-text.ts';
import { checkedRow, damagedSummary, summaryOf } from './session-row.ts';

const pageSize = 100;

/** What is asked of SQLite for a listing, by what narrows it: each finds its rows by an index, and looks at no others. */
export const listQueries = {
  all: `SELECT * FROM sessions WHERE changed < :changed ORDER BY changed DESC LIMIT ${pageSize}`,
  status: `SELECT * FROM sessions WHERE status = :status AND changed < :changed ORDER BY changed DESC LIMIT ${pageSize}`,
  prefix: 'SELECT id, changed FROM sessions WHERE session >= :begin AND session < CAST(:end AS TEXT)',
  statusAndPrefix:
    'SELECT id, changed FROM sessions WHERE status = :status AND session >= :begin AND session < CAST(:end AS TEXT)',
  one: 'SELECT * FROM sessions WHERE id = :id AND changed = :changed',
} as const;

/** Summaries, the latest change first. One that changes meanwhile may be left out; a damaged one says so. */
export async function* listSessions(
  database: Database,
  { status, prefix = '' }: SessionFilter,
): AsyncGenerator<SessionSummary> {
  // Half a surrogate pair at the end is written otherwise than in a pair: the whole prefix is looked at below.
  const begin = encodeText(prefix.replace(/[\uD800-\uDBFF]$/, ''));
  const pages = begin === '' ? byChange(database, status) : byPrefix(database, begin, status);
  for await (const page of pages) {
    for (const found of page) {
      const row = checkedRow(found);
      const summary = row === undefined ? damagedSummary(found) : summaryOf(row);
      if (summary.id.startsWith(prefix)) yield summary;
    }
  }
}

type Row = Readonly<Record<string, unknown>>;

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
