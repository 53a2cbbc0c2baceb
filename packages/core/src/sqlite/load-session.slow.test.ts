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
