import { mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import v8 from 'node:v8';

import { expect, it, onTestFinished, vi } from 'vitest';

import { message } from '../../../testing/src/store/store-samples.ts';
import type { Message } from '../contract/messages.ts';
import { Database } from './database.ts';
import { MessageReader } from './message-reader.ts';
import { findSession } from './session-row.ts';
import { sqliteStore } from './sqlite-store.ts';

/** A database with a session, and a function that works with a new reader of it. */
async function readable(...append: readonly Message[]) {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-reader-'));
  const path = join(folder, 'sessions.db');
  const [store, database] = [sqliteStore(path), new Database(path, 1000)];
  onTestFinished(async () => {
    await Promise.all([store.close(), database.close()]);
    rmSync(folder, { recursive: true, force: true });
  });
  await store.commit('s', 0, { append });
  const reading = async <T>(work: (reader: MessageReader) => T): Promise<T | undefined> =>
    database.read(() => {
      const row = findSession(database, 's');
      return row && work(new MessageReader(database, row));
    });
  return { store, reading };
}

it('a slice of messages ends with the first that is read after eight milliseconds', async () => {
  const { reading } = await readable(...Array.from({ length: 12 }, (_, n) => message(`m${n}`)));
  const counts = await reading((reader) => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1));
    onTestFinished(() => clock.mockRestore());
    const counts: (number | boolean)[] = [];
    while (!reader.isDone) {
      reader.read(true);
      counts.push(clock.mock.calls.length, reader.isDone);
      clock.mockClear();
    }
    return [...counts, reader.checked().length];
  });
  // The clock is read once more, for the beginning.
  expect(counts).toEqual([1 + 9, false, 1 + 3, true, 12]);
});

it('all messages are read at once, however long that takes, unless parts are asked for', async () => {
  const { reading } = await readable(message('a'), message('b'), message('c'));
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000));
  onTestFinished(() => clock.mockRestore());
  const ids = await reading((reader) => {
    reader.read(false);
    return reader.isDone && reader.checked().map(({ id }) => id);
  });
  expect(ids).toEqual(['a', 'b', 'c']);
});

it('a session of more than a quarter of the memory of the process is refused', async () => {
  const text = (length: number): Message => {
    const empty = JSON.stringify(message('m', '')).length;
    return message('m', 'x'.repeat(length - empty));
  };
  const { store } = await readable(text(3 * 2 ** 20), text(2 ** 20));
  const heap = vi.spyOn(v8, 'getHeapStatistics');
  onTestFinished(() => {
    heap.mockRestore();
    syncBuiltinESMExports();
  });
  heap.mockReturnValue({ heap_size_limit: 16 * 2 ** 20 - 1 } as never);
  syncBuiltinESMExports();
  await expect(store.load('s')).rejects.toMatchObject({
    code: 'STORE_FAILED',
    message: expect.stringMatching(
      /has more than 4 MB of session "s", and this process may use 16 MB in all\. Give it more with node --max-old-space-size, or delete the session\.$/,
    ) as string,
  });
  heap.mockReturnValue({ heap_size_limit: 16 * 2 ** 20 } as never);
  expect((await store.load('s'))?.messages).toHaveLength(2);
});
