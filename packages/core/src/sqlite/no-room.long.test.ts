import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, it } from 'vitest';

import { message } from '../../../testing/src/store/store-samples.ts';
import { sqliteStore } from './sqlite-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'shallot-no-room-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['', 0],
  [' although it changes all the time', 1],
])('a session that this process has no room for is named%s, and the process goes on', async (_, changes) => {
  const path = join(folder, `large-${changes}.db`);
  const store = sqliteStore(path);
  const append = Array.from({ length: 80 }, (_, n) => message(`m${n}`, 'x'.repeat(2 ** 20)));
  const revision = await store.commit('large', 0, { append });
  await store.commit('small', 0, { append: [message('m')] });
  await store.close();
  const reading = `
    const { sqliteStore } = await import(process.argv[1]);
    const store = sqliteStore(process.argv[2]);
    const other = sqliteStore(process.argv[2]);
    let isChanging = ${changes} === 1;
    const changing = (async () => {
      for (let revision = ${revision}; isChanging; ) revision = await other.commit('large', revision, {});
    })();
    const said = await store.load('large').catch(({ code, message }) => ({ code, message }));
    isChanging = false;
    await changing;
    console.log(JSON.stringify([said.code, said.message, (await store.load('small')).messages.length]));`;
  const { stdout } = spawnSync(
    process.execPath,
    [
      '--no-warnings',
      '--max-old-space-size=96',
      '--max-semi-space-size=2',
      '--input-type=module',
      '--eval',
      reading,
      import.meta.resolve('./sqlite-store.ts'),
      path,
    ],
    { encoding: 'utf8' },
  );
  expect(JSON.parse(stdout)).toEqual([
    'STORE_FAILED',
    expect.stringMatching(/of session "large", and this process may use \d+ MB in all\. Give it more with/),
    1,
  ]);
});
