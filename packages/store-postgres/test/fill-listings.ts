import type { SessionFilter } from '@shallot/core/store';

import { postgresStore } from '../src/postgres-store.ts';
import { query } from './postgres-server.ts';

/** Values of which each is shared by a fifth of all sessions; no session has two of them. */
const common = { agent: 'tea', owner: 'ann', status: 'failed', parent: 'p', prefix: 'x-' } as const;

/** All filters by none, one or two of these values. */
const filters: SessionFilter[] = [{}];
for (const [index, one] of Object.entries(common).entries()) {
  filters.push(Object.fromEntries([one]));
  for (const other of Object.entries(common).slice(index + 1)) filters.push(Object.fromEntries([one, other]));
}

/** The filters of workers, which always include an agent. */
const filtersOfWorkers: readonly SessionFilter[] = filters.flatMap((filter) => {
  if (filter.agent === undefined) return [];
  const status = filter.status === undefined ? {} : ({ status: 'interrupted' } as const);
  return [{ ...filter, ...status, resumable: true }];
});

/**
 * Fills a new database with sessions that each match one of the values, so that a listing by two of them has to skip
 * many. The last sessions to change are child runs. A tenth as many sessions are due.
 */
export async function fillListings(url: string, sessions: number): Promise<void> {
  const store = postgresStore({ url });
  await store.migrate();
  await store.close();
  const { agent, owner, status, parent, prefix } = common;
  const insert = (kind: string, count: number, own: string): string => `
    INSERT INTO shallot.sessions (digest, session, format, revision, listed, commit_id, created_at, updated_at, messages,
      interrupts, stop, agent, owner, parent, about, status, due)
    SELECT sha256(session::bytea), session, 1, nextval('shallot.revisions'), listed, gen_random_uuid(), now(), now(), 2,
      0, false, agent, owner, parent, 
      json_strip_nulls(json_build_object('owner', owner, 'parent', parent, 'root', root))::text, ${own}
    FROM (
      SELECT n + CASE WHEN n % 5 = 3 THEN ${sessions} ELSE 0 END AS listed, n,
        CASE WHEN n % 5 = 4 THEN '${prefix}' ELSE 'y-' END || '${kind}' || n AS session,
        CASE WHEN n % 5 = 0 THEN '${agent}' ELSE 'other' END AS agent,
        CASE WHEN n % 5 = 1 THEN '${owner}' ELSE 'other' END AS owner,
        CASE WHEN n % 5 = 3 THEN '${parent}' ELSE 'other' END AS parent,
        CASE WHEN n % 5 = 3 THEN '${parent}' END AS root
      FROM generate_series(1, ${count}) AS n
    ) AS made;`;
  await query(
    url,
    `${insert('', sessions, `CASE WHEN n % 5 = 2 THEN '${status}' ELSE 'completed' END, NULL`)}
     ${insert('due-', sessions / 10, `CASE WHEN n % 5 = 2 THEN 'interrupted' ELSE 'running' END, now() - n * interval '1 millisecond'`)}
     ANALYZE`,
  );
}

/**
 * Returns, for each filter, the number of index entries that two pages of the listing and a worker's search read, and
 * the number of table scans.
 */
export async function readsOfListings(
  url: string,
): Promise<readonly { readonly filter: string; readonly read: number; readonly scans: number }[]> {
  const reads = [];
  for (const filter of [...filters, ...filtersOfWorkers]) {
    const before = await countReads(url);
    const store = postgresStore({ url, listen: false });
    let cursor: string | undefined;
    for await (const summary of store.list({ ...filter, limit: 80 })) ({ cursor } = summary);
    if (cursor !== undefined) for await (const _ of store.list({ ...filter, limit: 80, after: cursor }));
    const { resumable, prefix, ...taken } = filter;
    if (resumable === true && prefix === undefined) await store.takeResumable?.(8, taken);
    await store.close();
    const after = await countReads(url);
    const [read, scans] = [after.read - before.read, after.scans - before.scans];
    reads.push({ filter: JSON.stringify(filter), read, scans });
  }
  return reads;
}

async function countReads(url: string): Promise<{ readonly read: number; readonly scans: number }> {
  // A connection reports its statistics before it disappears from the list, so wait until all others have.
  const others = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND backend_type = 'client backend'`;
  while ((await query(url, others)).length > 0);
  const [row] = await query(
    url,
    `SELECT sum(idx_tup_read)::float8 AS read, (SELECT seq_scan::float8 FROM pg_stat_user_tables
       WHERE relid = 'shallot.sessions'::regclass) AS scans
     FROM pg_stat_user_indexes WHERE relid = 'shallot.sessions'::regclass`,
  );
  return { read: Number(row?.['read']), scans: Number(row?.['scans']) };
}
