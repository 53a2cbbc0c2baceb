import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { registerChecks } from '../../../testing/src/conformance.ts';
import { message, runRecord } from '../../../testing/src/store/store-samples.ts';
import { sqliteChecks } from '../../test/sqlite-checks.ts';
import { maxInboxEntries } from '../contract/work/inbox.ts';
import { loadSqlite } from './load-sqlite.ts';
import { sqliteStore } from './sqlite-store.ts';

await registerChecks('a store', sqliteChecks('fast'));

it.each([
  [{ path: 'a.db' }, '{"path":"a.db"}'],
  [undefined, 'nothing'],
  ['', '""'],
])('a store without a path is refused, with what was given: %j', (path, shown) => {
  expect(() => sqliteStore(path as string)).toThrow(
    `sqliteStore takes the path of its file, but got ${shown}. Write, for example, sqliteStore('.shallot/sessions.db').`,
  );
});

/** A store with a run, and what does something to its file behind its back. */
async function storeWithRun() {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-store-'));
  const path = join(folder, 'sessions.db');
  const store = sqliteStore(path);
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await store.commit('s', 0, { run: runRecord('r', 'running') });
  const exec = (sql: string): void => {
    const db = new (loadSqlite().DatabaseSync)(path);
    db.exec(sql);
    db.close();
  };
  const send = async (id: string): Promise<boolean | undefined> =>
    store.send?.('s', { id, message: message(id) });
  return { store, exec, send };
}

it('an inbox takes no more entries than it may hold', async () => {
  const { store, exec, send } = await storeWithRun();
  await send('a');
  exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${maxInboxEntries - 2})
    INSERT INTO inbox (session_id, id, held, entry, crc) SELECT session_id, 'n' || i, 0, entry, crc FROM inbox, n`);
  expect(await send('last')).toBe(true);
  await expect(send('more')).rejects.toMatchObject({ code: 'INBOX_FULL' });
  expect(await send('a')).toBe(true);
  expect(await store.unsend?.('s', 'last')).toBe(true);
  expect(await send('more')).toBe(true);
});

it('an entry of an inbox that was altered is not taken for what was sent', async () => {
  const { store, exec, send } = await storeWithRun();
  await send('a');
  exec("UPDATE inbox SET entry = replace(entry, 'text of a', 'text of b')");
  await expect(store.inbox?.('s')).rejects.toMatchObject({
    code: 'STORE_DAMAGED',
    message: expect.stringContaining('a message that was sent to session "s" was altered') as string,
  });
});

it('a message that was altered is found, whoever reads it', async () => {
  const { store, exec } = await storeWithRun();
  await store.commit('s', 1, { append: [message('a'), message('b')] });
  exec("UPDATE messages SET message = replace(message, 'text of b', 'text of c')");
  const damaged = { code: 'STORE_DAMAGED' };
  await expect(store.load('s')).rejects.toMatchObject(damaged);
  await expect(store.messagesFrom?.('s', 'a')).rejects.toMatchObject(damaged);
  expect(await store.head?.('s')).toMatchObject({ revision: 2 });
});

it('a child that was deleted with its root never has one of its revisions again', async () => {
  const { store } = await storeWithRun();
  const about = { parent: 's', root: 's' };
  let revision = await store.commit('child', 0, { about });
  for (let more = 0; more < 5; more += 1) revision = await store.commit('child', revision, {});
  await store.delete('s');
  expect(await store.commit('child', 0, { about })).toBeGreaterThan(revision);
});
