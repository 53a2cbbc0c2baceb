import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, it } from 'vitest';

import { message } from '../../../testing/src/store/store-samples.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { sqliteStore } from './sqlite-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'shallot-rows-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('messages keep their order when one of them is replaced by two until there is no room between their numbers', async () => {
  const [store, model] = [sqliteStore(join(folder, 'a.db')), memoryStore()];
  const append = [message('first'), message('second'), message('last')];
  let revision = 0;
  const commit = async (change: Parameters<typeof store.commit>[2]): Promise<void> => {
    await store.commit('s', revision, change);
    revision = await model.commit('s', revision, change);
  };
  await commit({ append });
  // Each round leaves two thirds of the room: 65,536 numbers are used up after 28.
  for (let round = 0; round < 35; round += 1)
    await commit({ replace: [{ from: 1, to: 2, messages: [message(`${round} a`), message(`${round} b`)] }] });
  const [stored, expected] = [await store.load('s'), await model.load('s')];
  expect(stored?.messages).toHaveLength(38);
  expect(stored?.messages).toEqual(expected?.messages);
  await store.close();
});
