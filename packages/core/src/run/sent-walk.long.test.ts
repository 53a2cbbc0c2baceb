import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, it } from 'vitest';

import { walkSent } from '../../test/programs/sent-walk.ts';
import { sqliteStore } from '../sqlite/index.ts';

const folder = await mkdtemp(join(tmpdir(), 'shallot-sent-walk-'));
afterAll(() => rm(folder, { recursive: true }));

const walks = 700;
/** Commits of walks at once share the waits for the disk. */
const atOnce = 30;

it('700 walks in SQLite lose and repeat no message', async () => {
  const store = sqliteStore(join(folder, 'sessions.db'));
  const seeds = Array.from({ length: walks }, (_, index) => 1000 + index);
  let taken = 0;
  let deaths = 0;
  const lane = async (): Promise<void> => {
    for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) {
      const walk = await walkSent(seed, store, `s${seed}`);
      taken += walk.taken;
      deaths += walk.deaths;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  await store.close();
  expect(taken).toBeGreaterThan(7000);
  expect(deaths).toBeGreaterThan(700);
});
