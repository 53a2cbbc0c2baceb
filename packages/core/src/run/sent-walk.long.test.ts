import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, it } from 'vitest';

import { walkSent } from '../../test/programs/sent-walk.ts';
import { memoryStore } from '../index.ts';
import { sqliteStore } from '../sqlite/index.ts';

const folder = await mkdtemp(join(tmpdir(), 'shallot-sent-walk-'));
afterAll(() => rm(folder, { recursive: true }));

const first = 1000;

it('900 walks in memory lose and repeat no message', async () => {
  let taken = 0;
  for (let seed = first; seed < first + 900; seed += 1) taken += (await walkSent(seed, memoryStore())).taken;
  expect(taken).toBeGreaterThan(9000);
});

it('100 walks in SQLite lose and repeat no message', async () => {
  let taken = 0;
  for (let seed = first; seed < first + 100; seed += 1) {
    const store = sqliteStore(join(folder, `${seed}.db`));
    taken += (await walkSent(seed, store)).taken;
    await store.close();
  }
  expect(taken).toBeGreaterThan(1000);
});
