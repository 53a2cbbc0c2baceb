import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { toMessages } from '../contract/messages.ts';
import { sqliteStore } from './sqlite-store.ts';

it('a deleted session leaves nothing of its messages in the file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'shallot-delete-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'sessions.db');
  const store = sqliteStore(path);
  const mark = 'correct horse battery staple ';
  let count = 0;
  const append = toMessages(mark.repeat(1000), () => `m${(count += 1)}`);
  await store.commit('s', 0, { append });
  await store.delete('s');
  await store.close?.();
  expect((await readFile(path)).includes(mark.trim())).toBe(false);
});
