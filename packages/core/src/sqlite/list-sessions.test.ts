import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { runRecord } from '../../../testing/src/store/store-samples.ts';
import type { SessionFilter, SessionSummary } from '../contract/store.ts';
import { orderOf } from '../sessions/stores/filter-sessions.ts';
import { listQuery } from './list-sessions.ts';
import { loadSqlite } from './load-sqlite.ts';
import { sqliteStore } from './sqlite-store.ts';

const { DatabaseSync } = loadSqlite();

async function newDatabase(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-list-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'sessions.db');
  const store = sqliteStore(path);
  for (const sessionId of ['a/1', 'a/2', 'b/1'])
    await store.commit(sessionId, 0, { run: runRecord('r', 'interrupted', 1) });
  await store.close?.();
  return path;
}

function withoutCursor(summary: SessionSummary | undefined): unknown {
  return summary && { ...summary, cursor: undefined };
}

async function listed(path: string, filter?: SessionFilter): Promise<SessionSummary[]> {
  const store = sqliteStore(path);
  const found: SessionSummary[] = [];
  for await (const summary of store.list(filter)) found.push(summary);
  await store.close?.();
  return found;
}

test.each<SessionFilter>([
  {},
  { status: 'parked' },
  { prefix: 'a/' },
  { prefix: 'a/', status: 'parked' },
  { resumable: true },
  { agent: 'a' },
  { agent: 'a', status: 'parked' },
  { owner: 'o' },
  { owner: 'o', status: 'parked' },
  { parent: 'p' },
  { title: 't' },
])('the query for %j looks only at rows that it gives, and sorts none', async (filter) => {
  const db = new DatabaseSync(await newDatabase(), { readOnly: true });
  const order = orderOf(filter);
  const equal = Object.keys(filter).filter((key) => key !== 'prefix' && key !== 'resumable');
  for (const after of [undefined, order === 'name' ? ['a/1'] : [1, 1]]) {
    const { sql, values } = listQuery(filter, order, after);
    const steps = db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(values)
      .map(({ detail }) => String(detail));
    expect(steps).toEqual([expect.stringMatching(/^SEARCH sessions USING /)]);
    for (const column of equal) expect(steps[0]).toContain(`${column}=?`);
  }
  db.close();
});

describe('a session whose row was altered', () => {
  const alterations = {
    'a status': "status = 'completed'",
    'a count': 'messages = messages + 1',
    'a number that JavaScript cannot hold': 'revision = 9223372036854775807',
    'a time that is none': 'updated_at = 8640000000000001',
    'an id that is no JSON': "session = 'a/2\\'",
  };

  test.each(Object.entries(alterations))(
    'is listed as damaged, and hides no other: %s',
    async (what, set) => {
      const path = await newDatabase();
      const db = new DatabaseSync(path);
      db.exec(`UPDATE sessions SET ${set} WHERE session = 'a/2'`);
      db.close();
      const id = what.startsWith('an id') ? 'a/2\\' : 'a/2';
      const damaged = {
        id,
        revision: 0,
        createdAt: 0,
        updatedAt: 0,
        messages: 0,
        interrupts: 0,
        damaged: true,
      };
      const [last, altered, first, ...more] = await listed(path);
      expect([last?.id, withoutCursor(altered), first?.id, more]).toEqual(['b/1', damaged, 'a/1', []]);
      expect([last, first]).toMatchObject([{ interrupts: 1 }, { interrupts: 1 }]);
      expect(last).not.toHaveProperty('damaged');
      expect(await listed(path, { prefix: 'a/' })).toMatchObject([{ id: 'a/1' }, damaged]);
    },
  );

  test('is not loaded, and can be deleted', async () => {
    const path = await newDatabase();
    const db = new DatabaseSync(path);
    db.exec("UPDATE sessions SET messages = messages + 1 WHERE session = 'a/2'");
    db.close();
    const store = sqliteStore(path);
    await expect(store.load('a/2')).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    expect(await store.load('a/1')).toMatchObject({ revision: 1 });
    expect(await store.delete('a/2')).toBe(true);
    await store.close?.();
    expect(await listed(path)).toMatchObject([{ id: 'b/1' }, { id: 'a/1' }]);
  });
});

describe('of one session by its id', () => {
  const cases = {
    'that is due': ['due = 1', ['a/1']],
    'that is due later': ['due = 8640000000000000', []],
    'that is not for workers': ['due = NULL', []],
    'that somebody stopped': ['due = 1, stop = 1', ['a/1']],
  } as const;

  test.each(Object.entries(cases))('%s, workers find what they may resume', async (_, [set, found]) => {
    const path = await newDatabase();
    const db = new DatabaseSync(path);
    db.exec(`UPDATE sessions SET ${set} WHERE session = 'a/1'`);
    db.close();
    expect(await listed(path, { id: 'a/1' })).toMatchObject([{ id: 'a/1' }]);
    expect((await listed(path, { id: 'a/1', resumable: true })).map(({ id }) => id)).toEqual(found);
  });
});
