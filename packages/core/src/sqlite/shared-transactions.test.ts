import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';

import { afterAll, describe, expect, it } from 'vitest';

import { idsOf, messages } from '../../../testing/src/store/store-samples.ts';
import { ShallotError } from '../base/errors.ts';
import { SharedTransactions, type Transactions } from './shared-transactions.ts';
import { sqliteStore } from './sqlite-store.ts';

/** Transactions on a list: one that fails leaves nothing in it. */
function onList(commit: (list: readonly string[]) => void = () => {}): Transactions & {
  readonly list: string[];
  /** The ids that each transaction has added. */
  readonly added: readonly string[][];
} {
  const list: string[] = [];
  const added: string[][] = [];
  return {
    list,
    added,
    async transact(work) {
      const length = list.length;
      try {
        work();
        commit(list.slice(length));
      } catch (error) {
        list.length = length;
        throw error;
      }
      added.push(list.slice(length));
    },
    part(work) {
      const length = list.length;
      try {
        return work();
      } catch (error) {
        list.length = length;
        throw error;
      }
    },
  };
}

const conflict = new ShallotError('STORE_CONFLICT', { message: 'somebody was first' });
const locked = new ShallotError('STORE_FAILED', { message: 'locked', transient: true });

function reasonOf(settled: PromiseSettledResult<unknown>): unknown {
  return settled.status === 'rejected' ? settled.reason : settled.value;
}

describe('what comes in one turn', () => {
  it('shares a transaction, in order', async () => {
    const target = onList();
    const shared = new SharedTransactions(target, () => 0);
    const adding = ['a', 'b', 'c'].map((text) => shared.add(() => target.list.push(text)));
    expect(target.list).toEqual([]);
    expect(await Promise.all(adding)).toEqual([1, 2, 3]);
    expect(target.added).toEqual([['a', 'b', 'c']]);
    await shared.add(() => target.list.push('d'));
    expect(target.added).toHaveLength(2);
    await shared.settled;
    expect(shared.settled).toBeUndefined();
  });

  it('is whole although a part of it is refused', async () => {
    const target = onList();
    const shared = new SharedTransactions(target, () => 0);
    const refused = (): never => {
      target.list.push('half');
      throw conflict;
    };
    const works = [() => target.list.push('a'), refused, () => target.list.push('b')];
    const settled = await Promise.allSettled(works.map((work) => shared.add(work)));
    expect(settled.map(reasonOf)).toEqual([1, conflict, 2]);
    expect(target.added).toEqual([['a', 'b']]);
  });

  it('is tried one by one when the whole of it fails', async () => {
    const full = new Error('the disk is full');
    const target = onList((added) => {
      if (added.includes('large')) throw full;
    });
    const shared = new SharedTransactions(target, () => 0);
    const texts = ['a', 'large', 'b'];
    const settled = await Promise.allSettled(texts.map((text) => shared.add(() => target.list.push(text))));
    expect(settled.map(reasonOf)).toEqual([1, full, 2]);
    expect(target.added).toEqual([['a'], ['b']]);
    await Promise.all(['c', 'd'].map((text) => shared.add(() => target.list.push(text))));
    expect(target.added.at(-1)).toEqual(['c', 'd']);
  });

  it('waits for a lock once, not each for itself', async () => {
    let attempts = 0;
    const target = onList();
    const shared = new SharedTransactions({
      ...target,
      async transact() {
        attempts += 1;
        throw locked;
      },
    });
    const settled = await Promise.allSettled([1, 2, 3].map(() => shared.add(() => 0)));
    expect(settled.map(reasonOf)).toEqual([locked, locked, locked]);
    expect(attempts).toBe(1);
  });
});

it('lets timers and requests have their turn between two transactions', async () => {
  const target = onList();
  let time = 0;
  const shared = new SharedTransactions(target, () => time);
  const busy = (): void => {
    time += 1;
    target.list.push('x');
  };
  const adding = Promise.all(Array.from({ length: 60 }, () => shared.add(busy)));
  let turns = 0;
  while (shared.settled !== undefined) {
    await turn();
    turns += 1;
  }
  await adding;
  expect(target.added).toHaveLength(10);
  expect(turns).toBeGreaterThanOrEqual(target.added.length);
});

describe('commits of many sessions at once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-shared-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('are all kept, but for those that are refused', async () => {
    const store = sqliteStore(join(folder, 'sessions.db'));
    await store.commit('taken', 0, { append: messages('before') });
    const ids = Array.from({ length: 50 }, (_, index) => (index % 10 === 5 ? 'taken' : `s${index}`));
    const settled = await Promise.allSettled(
      ids.map((id) => store.commit(id, 0, { append: messages(`of ${id}`) })),
    );
    const kept = ids.filter((_, index) => settled[index]?.status === 'fulfilled');
    expect(kept).toEqual(ids.filter((id) => id !== 'taken'));
    for (const id of kept) expect(idsOf(await store.load(id))).toEqual([`of ${id}`]);
    expect(idsOf(await store.load('taken'))).toEqual(['before']);
    await store.close();
  });

  it('are kept when the store is closed before they have settled', async () => {
    const path = join(folder, 'closed.db');
    const store = sqliteStore(path);
    const commits = ['a', 'b'].map((id) => store.commit(id, 0, { append: messages(id) }));
    await store.close();
    await Promise.all(commits);
    await expect(store.commit('c', 0, {})).rejects.toMatchObject({ code: 'STORE_FAILED' });
    const again = sqliteStore(path);
    expect(idsOf(await again.load('b'))).toEqual(['b']);
    await again.close();
  });
});
