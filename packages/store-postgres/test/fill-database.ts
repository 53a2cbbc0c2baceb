import { postgresFiles } from '../src/files/index.ts';
import { postgresStore } from '../src/postgres-store.ts';
import { query } from './postgres-server.ts';
import { newClaimFor, runRecord } from './run-record.ts';

/** The number of messages in session `s3`. */
const manyMessages = 10_000;

/**
 * Fills a new database with sessions `s1`, `s2` and so on. Each has two messages, but `s3` has many. State, journals,
 * published events and files exist for a tenth as many. Of a thousand sessions, one has a due run without an agent, and
 * four have due runs of the agent `coffee`.
 */
export async function fillDatabase(url: string, sessions: number): Promise<void> {
  const store = postgresStore({ url });
  await store.migrate();
  await store.close();
  await query(
    url,
    `INSERT INTO shallot.sessions (digest, session, format, revision, listed, commit_id, created_at, updated_at, messages, status, interrupts, agent, due, stop)
     SELECT sha256(('s' || n || chr(10))::bytea), 's' || n, 1, nextval('shallot.revisions'), n, gen_random_uuid(), now(), now(), 2,
       CASE WHEN n % 1000 < 5 THEN 'running' ELSE 'completed' END, 0, CASE WHEN n % 1000 BETWEEN 1 AND 4 THEN 'coffee' END,
       CASE WHEN n % 1000 < 5 THEN now() END, false
     FROM generate_series(1, ${sessions}) AS n;
     INSERT INTO shallot.messages (session_id, position, message)
     SELECT id, n, '{"id":"' || id || '.' || n || '","role":"user","content":[]}' FROM shallot.sessions, generate_series(1, 2) AS n;
     INSERT INTO shallot.messages (session_id, position, message)
     SELECT 3, n, '{"id":"3.' || n || '","role":"user","content":[]}' FROM generate_series(3, ${manyMessages}) AS n;
     UPDATE shallot.sessions SET messages = ${manyMessages} WHERE id = 3;
     INSERT INTO shallot.state (session_id, digest, plugin, key, entry)
     SELECT id, sha256(('p' || chr(10) || 'k' || chr(10))::bytea), 'p', 'k', '{"version":1,"value":1}' FROM shallot.sessions WHERE id % 10 = 0;
     INSERT INTO shallot.journal (session_id, digest, key, entry)
     SELECT id, sha256(('k' || chr(10))::bytea), 'k', '{"type":"once","value":1}' FROM shallot.sessions WHERE id % 10 = 0;
     INSERT INTO shallot.live (session_id, events) SELECT id, '[]' FROM shallot.sessions WHERE id % 10 = 0;
     INSERT INTO shallot.files (digest, path, revision, size)
     SELECT sha256(('/d/' || n || chr(10))::bytea), '/d/' || n, n, 0 FROM generate_series(1, ${sessions / 10}) AS n;
     ANALYZE`,
  );
}

/**
 * Executes every operation of the store and the files, and returns its reads by the server's statistics: the tables
 * that were scanned, and the number of rows read through indexes.
 */
export async function readsOfAll(
  url: string,
): Promise<{ readonly scanned: readonly string[]; readonly rows: number }> {
  const before = await readsOf(url);
  await useStore(url);
  await useFiles(url);
  const after = await readsOf(url);
  return {
    scanned: [...after]
      .filter(([table, { scans }]) => scans !== before.get(table)?.scans)
      .map(([table]) => table),
    rows: [...after].reduce((sum, [table, { rows }]) => sum + rows - (before.get(table)?.rows ?? 0), 0),
  };
}

async function useStore(url: string): Promise<void> {
  const store = postgresStore({ url });
  const record = await store.load('s1000');
  const message = record?.messages[0];
  if (record === undefined || message === undefined) throw new Error('Session s1000 is missing.');
  const claim = newClaimFor('elsewhere', 60_000);
  let revision = await store.commit('s1000', record.revision, { claim, run: runRecord('r') });
  revision = await store.commit('s1000', revision, {
    append: [message],
    state: { p: { k: { version: 1, value: 2 } } },
    journal: { k: { type: 'once', value: 2 } },
  });
  await store.renew('s1000', claim);
  await store.requestStop('s1000');
  await store.publish?.('s1000', { runId: 'r', step: 1, phase: 'model', events: [] });
  await store.published?.('s1000', 0);
  await store.commit('s1000', revision, { replace: [{ from: 0, to: 2, messages: [message] }], claim: null });
  await store.commit('new', 0, { append: [message] });
  for (const filter of [
    {},
    { status: 'running' },
    { id: 's1000' },
    { prefix: 's1234' },
    { resumable: true },
    { resumable: true, agent: 'a' },
    { resumable: true, agent: 'coffee', prefix: 'none' },
    { prefix: 's', status: 'parked' },
    { owner: 'o' },
    { owner: 'o', status: 'parked' },
    { agent: 'a' },
    { agent: 'a', status: 'parked' },
    { parent: 'p' },
    { title: 't' },
  ] as const) {
    let count = 0;
    for await (const _ of store.list(filter)) {
      count += 1;
      if (count === 150) break;
    }
  }
  await store.takeResumable?.(5, { agent: 'a' });
  await store.head?.('s2000');
  await store.messagesFrom?.('s2000', 'gone');
  const last = await store.messagesFrom?.('s3', `3.${manyMessages - 5}`);
  await store.commit('s3', last?.revision ?? 0, { append: [message] });
  await store.setTitle?.('s2000', 'title');
  await store.delete('s1000');
  // The server knows the statistics of a connection only after it is closed.
  await store.close();
}

async function useFiles(url: string): Promise<void> {
  const files = postgresFiles({ url });
  const revision = await files.write('/d/new', 'text');
  await files.write('/d/new', 'other', { ifRevision: revision });
  await files.append('/d/new', ' text');
  await files.read('/d/new');
  await files.stat('/d/new');
  await files.remove('/d/new');
  await files.close();
}

async function readsOf(
  url: string,
): Promise<ReadonlyMap<string, { readonly scans: number; readonly rows: number }>> {
  const tables = await query(
    url,
    `SELECT relname, seq_scan::float8 AS scans, coalesce(idx_tup_fetch, 0)::float8 AS rows
     FROM pg_stat_user_tables WHERE schemaname = 'shallot' AND n_live_tup > 1000`,
  );
  return new Map(
    tables.map(({ relname, scans, rows }) => [String(relname), { scans: Number(scans), rows: Number(rows) }]),
  );
}
