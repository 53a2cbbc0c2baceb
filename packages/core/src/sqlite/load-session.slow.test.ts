import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';

import { afterAll, describe, expect, it } from 'vitest';

import { idsOf, message } from '../../../testing/src/store/store-samples.ts';
import { sqliteStore, type SqliteStore } from './sqlite-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'shallot-long-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const count = 30_000;
const old = Array.from({ length: count }, (_, n) => `old-${n}`);

/** A database with a long session, and two connections to it. */
async function longSession(
  name: string,
): Promise<{ reader: SqliteStore; other: SqliteStore; revision: number }> {
  const [reader, other] = [1, 2].map(() => sqliteStore(join(folder, name)));
  if (reader === undefined || other === undefined) throw new Error('there are two');
  const append = old.map((id) => message(id, 'x'.repeat(200)));
  return { reader, other, revision: await other.commit('s', 0, { append }) };
}

describe('a long session that is read', () => {
  it('leaves turns to whatever else wants to run', async () => {
    const { reader, other } = await longSession('turns.db');
    let turns = 0;
    const over = new AbortController();
    const loading = reader.load('s').finally(() => over.abort());
    while (!over.signal.aborted) {
      await turn();
      turns += 1;
    }
    expect(idsOf(await loading)).toEqual(old);
    expect(turns).toBeGreaterThan(4);
    await Promise.all([reader.close(), other.close()]);
  });

  it.each([1, 3, 5])('is that of one moment, when it changes in turn %i', async (turns) => {
    const { reader, other, revision } = await longSession(`changed-${turns}.db`);
    const loading = reader.load('s');
    for (let n = 0; n < turns; n += 1) await turn();
    const added = await other.commit('s', revision, {
      replace: [{ from: 0, to: 1, messages: [message('new')] }],
      append: [message('last')],
    });
    const record = await loading;
    const expected = record?.revision === added ? ['new', ...old.slice(1), 'last'] : old;
    expect(idsOf(record)).toEqual(expected);
    await Promise.all([reader.close(), other.close()]);
  });

  it('is read in the end although it changes all the time', async () => {
    const { reader, other, revision } = await longSession('changing.db');
    const over = new AbortController();
    const changing = async (): Promise<number> => {
      let last = revision;
      while (!over.signal.aborted)
        last = await other.commit('s', last, { append: [message(`more-${last}`)] });
      return last;
    };
    const changed = changing();
    const record = await reader.load('s').finally(() => over.abort());
    expect(record?.messages).toHaveLength(count + Number(record?.revision) - revision);
    expect(await changed).toBeGreaterThan(revision);
    await Promise.all([reader.close(), other.close()]);
  });

  it('is gone, when it is deleted meanwhile', async () => {
    const { reader, other } = await longSession('deleted.db');
    const loading = reader.load('s');
    for (let n = 0; n < 3; n += 1) await turn();
    await other.delete('s');
    expect(await loading).toBeUndefined();
    await Promise.all([reader.close(), other.close()]);
  });
});

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
