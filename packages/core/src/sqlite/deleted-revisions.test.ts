import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterAll, expect, it } from 'vitest';

import { messages } from '../../../testing/src/store/store-samples.ts';
import { sqliteStore, type SqliteStore } from './sqlite-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'shallot-deleted-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A store with a session that was committed three times, and what alters its database behind its back. */
async function storeWithSession(name: string): Promise<{ store: SqliteStore; alter: (sql: string) => void }> {
  const path = join(folder, name);
  const store = sqliteStore(path);
  let revision = 0;
  for (const id of ['a', 'b', 'c']) revision = await store.commit('s', revision, { append: messages(id) });
  const alter = (sql: string): void => {
    const db = new DatabaseSync(path);
    db.exec(sql);
    db.close();
  };
  return { store, alter };
}

it('a session that was damaged and deleted has later revisions, whatever its own said', async () => {
  const { store, alter } = await storeWithSession('damaged.db');
  alter('UPDATE sessions SET revision = 1');
  await expect(store.load('s')).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  expect(await store.delete('s')).toBe(true);
  expect(await store.commit('s', 0, {})).toBeGreaterThan(3);
  await store.close();
});

it.each(['UPDATE deleted SET revision = 1', 'DELETE FROM deleted'])(
  'no session is begun or deleted after %s',
  async (sql) => {
    const { store, alter } = await storeWithSession(`${sql.split(' ')[0]}.db`);
    alter(sql);
    await expect(store.commit('new', 0, {})).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await expect(store.delete('s')).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    expect((await store.load('s'))?.messages).toHaveLength(3);
    await store.close();
  },
);
