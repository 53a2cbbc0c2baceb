import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test, vi } from 'vitest';

import { idsOf, message } from '../../../testing/src/store/store-samples.ts';
import { Database } from './database.ts';
import { loadMessagesFrom, loadSession } from './load-session.ts';
import { sqliteStore } from './sqlite-store.ts';

/** Makes each slice of a session end after one message. */
function shortenSlices(): void {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000));
  onTestFinished(() => clock.mockRestore());
}

test('a long session is read in slices, one transaction each', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-load-'));
  const path = join(folder, 'sessions.db');
  const [store, database] = [sqliteStore(path), new Database(path, 1000)];
  onTestFinished(async () => {
    await Promise.all([store.close(), database.close()]);
    rmSync(folder, { recursive: true, force: true });
  });
  await store.commit('s', 0, { append: ['a', 'b', 'c'].map((id) => message(id)) });
  shortenSlices();
  const read = vi.spyOn(database, 'read');
  expect(idsOf(await loadSession(database, 's'))).toEqual(['a', 'b', 'c']);
  expect(read).toHaveBeenCalledTimes(4);
  expect(await loadSession(database, 'none')).toBeUndefined();
  expect(await loadMessagesFrom(database, 'none', 'a')).toBeUndefined();
  expect(await loadMessagesFrom(database, 's', 'none')).toBeUndefined();
  expect(await loadMessagesFrom(database, 's', 'b')).toMatchObject({
    revision: 1,
    messages: [{ id: 'b' }, { id: 'c' }],
  });
});

test('a session that changes all the time is read in slices twice, and then at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-load-'));
  const path = join(folder, 'sessions.db');
  const [store, database] = [sqliteStore(path), new Database(path, 1000)];
  onTestFinished(async () => {
    await Promise.all([store.close(), database.close()]);
    rmSync(folder, { recursive: true, force: true });
  });
  let revision = await store.commit('s', 0, { append: ['a', 'b', 'c'].map((id) => message(id)) });
  shortenSlices();
  const read = vi.spyOn(database, 'read').mockImplementation(async (work) => {
    revision = await store.commit('s', revision, { append: [message(`more-${revision}`)] });
    return Database.prototype.read.call(database, work) as never;
  });
  const record = await loadSession(database, 's');
  expect(record?.revision).toBe(revision);
  expect(idsOf(record)).toHaveLength(3 + read.mock.calls.length);
  expect(read).toHaveBeenCalledTimes(5);
});
