import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { sqliteStore } from '@shallot/core/sqlite';
import { pendingInterrupts } from '@shallot/core/work';
import { expect, it } from 'vitest';

import { ask, copyExample, killAt, resume, run, treeOf } from './test/team.ts';

it('is killed among its readers, and reads nothing twice', async () => {
  const folder = copyExample();
  await killAt(folder, ask, 'reader', 3);
  // A reader that read again would find no place.
  writeFileSync(join(folder, '.shallot/workspace/sources/canal.md'), 'Nothing.\n');
  expect((await run(folder, resume)).status).toBe(3);
  expect((await treeOf(folder)).map(({ agent, status, results }) => [agent, status, results])).toEqual([
    ['reader', 'completed', 1],
    ['reader', 'completed', 1],
    ['reader', 'completed', 1],
    ['writer', 'interrupted', 0],
  ]);
  const store = sqliteStore(join(folder, '.shallot/sessions.db'));
  const questions = await pendingInterrupts(store, 'garden');
  await store.close?.();
  expect(questions.map(({ plugin, call, under }) => [plugin, call?.name, under?.length])).toEqual([
    ['hitl', 'write_file', 1],
  ]);
});

it('prints what the README shows, in any order of the readers', async () => {
  const folder = copyExample();
  const { status, stdout } = await run(folder, ['start.ts']);
  expect(status).toBe(0);
  const shown = /```text\n([\s\S]*?)```/.exec(readFileSync(join(folder, 'README.md'), 'utf8'))?.[1] ?? '';
  const sorted = (text: string): string[] => text.split('\n').toSorted();
  expect(sorted(stdout)).toEqual(sorted(shown));
});
