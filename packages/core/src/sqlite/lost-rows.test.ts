import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { messages, runRecord } from '../../../testing/src/store/store-samples.ts';
import { isShallotError } from '../base/errors.ts';
import type { JournalEntry } from '../contract/store.ts';
import { loadSqlite } from './load-sqlite.ts';
import { sqliteStore } from './sqlite-store.ts';

const { DatabaseSync } = loadSqlite();
const intent: JournalEntry = { type: 'intent', id: 'execution' };

/** A database with two sessions that have the same in them, and nobody has open. */
async function newDatabase(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-lost-rows-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'sessions.db');
  const store = sqliteStore(path);
  for (const sessionId of ['a', 'b']) {
    await store.commit(sessionId, 0, {
      append: messages('1', '2'),
      state: { p: { k: { version: 1, value: 1 }, gone: { version: 1, value: 2 } } },
      journal: { 'call:1:0': intent, gone: intent },
      run: runRecord('r', 'running'),
    });
    await store.commit(sessionId, 1, {
      state: { p: { k: { version: 1, value: 3 }, gone: null, never: null } },
      journal: { 'call:1:0': { type: 'raw', result: { content: [] } }, gone: null, never: null },
    });
  }
  await store.close?.();
  return path;
}

function alter(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
  db.close();
}

test('what was set, replaced and removed again is read as whole', async () => {
  const store = sqliteStore(await newDatabase());
  expect(await store.load('a')).toMatchObject({
    state: { p: { k: { version: 1, value: 3 } } },
    journal: { 'call:1:0': { type: 'raw' } },
  });
  await store.close?.();
});

test.each([
  ['an entry of the journal that is gone', 'DELETE FROM journal WHERE session_id = 1', ['a']],
  ['an entry of the state that is gone', 'DELETE FROM state WHERE session_id = 1', ['a']],
  ['a run that is gone', 'DELETE FROM runs WHERE session_id = 1', ['a']],
  ['a message that is gone', 'DELETE FROM messages WHERE session_id = 1 AND id = 1', ['a']],
  [
    'an entry that another session has instead',
    "UPDATE journal SET session_id = 2, key = 'other' WHERE session_id = 1",
    ['a', 'b'],
  ],
  [
    'entries of two sessions that changed places',
    'UPDATE state SET session_id = 3 - session_id + 10; UPDATE state SET session_id = session_id - 10',
    ['a', 'b'],
  ],
  [
    'messages of two sessions that changed places',
    'UPDATE messages SET session_id = 13 - session_id; UPDATE messages SET session_id = session_id - 10',
    ['a', 'b'],
  ],
  [
    'runs of two sessions that changed places',
    'UPDATE runs SET session_id = 13 - session_id; UPDATE runs SET session_id = session_id - 10',
    ['a', 'b'],
  ],
  [
    'sessions that have the numbers of each other',
    'UPDATE sessions SET id = 13 - id; UPDATE sessions SET id = id - 10',
    ['a', 'b'],
  ],
  [
    'an order of sessions that was altered',
    'UPDATE sessions SET changed = changed + 100 WHERE id = 1',
    ['a'],
  ],
])('%s is noticed', async (_what, sql, damaged) => {
  const path = await newDatabase();
  alter(path, sql);
  const store = sqliteStore(path);
  for (const sessionId of ['a', 'b']) {
    const loaded = await store.load(sessionId).then(
      () => 'whole',
      (error: unknown) => (isShallotError(error) ? error.code : error),
    );
    expect(loaded).toBe(damaged.includes(sessionId) ? 'STORE_DAMAGED' : 'whole');
  }
  await store.close?.();
});

test.each([
  ['by its status', 'a'],
  ['without one', 'no run'],
])('a session that an index misses is not taken for a new one: %s', async (_, sessionId) => {
  const path = await newDatabase();
  const made = sqliteStore(path);
  await made.commit('no run', 0, {});
  await made.close();
  const db = new DatabaseSync(path);
  const root = db
    .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_sessions_1'")
    .get();
  db.close();
  // The number of cells stands at byte 3 of a page: an index without any finds nothing.
  const bytes = readFileSync(path);
  bytes.writeUInt16BE(0, (Number(root?.['rootpage']) - 1) * 4096 + 3);
  writeFileSync(path, bytes);

  const store = sqliteStore(path);
  onTestFinished(() => store.close());
  await expect(store.load(sessionId)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  await expect(store.commit(sessionId, 0, {})).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
});
