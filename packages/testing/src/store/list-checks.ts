import assert from 'node:assert/strict';

import { encodeText, type SessionFilter, type SessionSummary, type Store } from '@shallot/core/store';

import type { ConformanceCheck } from '../conformance.ts';
import { hostileIds, idsOf, messages, runRecord, commitNext } from './store-samples.ts';
import { storeCheck, type CreateStore } from './store-subject.ts';

export function listChecks(create: CreateStore): ConformanceCheck[] {
  return [
    storeCheck(create, 'takes session ids literally, whatever is in them', async ({ store }) => {
      for (const [index, id] of hostileIds.entries()) {
        assert.equal(await store.load(id), undefined, `${JSON.stringify(id)} is taken for another`);
        await store.commit(id, 0, { append: messages(`m${index}`) });
      }
      for (const [index, id] of hostileIds.entries()) {
        const record = await store.load(id);
        assert.equal(record?.id, id);
        assert.deepEqual(idsOf(record), [`m${index}`]);
      }
      assert.deepEqual(await listed(store), hostileIds.toReversed());
      for (const id of hostileIds) {
        const starting = hostileIds.filter((other) => other.startsWith(id));
        const expected = id === '' ? starting.toReversed() : byName(starting);
        assert.deepEqual(await listed(store, { prefix: id }), expected, `prefix ${JSON.stringify(id)}`);
      }
      for (const id of hostileIds) assert.equal(await store.delete(id), true);
      assert.deepEqual(await listed(store), []);
    }),

    storeCheck(create, 'finds a prefix that ends in the middle of a character', async ({ store }) => {
      await store.commit('😀 one', 0, {});
      await store.commit('\ud83d alone', 0, {});
      await store.commit('\ud83c\udf00 other', 0, {});
      assert.deepEqual(await listed(store, { prefix: '\ud83d' }), byName(['\ud83d alone', '😀 one']));
    }),

    storeCheck(create, 'finds a prefix whatever it ends in, and whatever follows it', async ({ store }) => {
      for (const end of ['\ud7ff', '\uffff', '\udfff', '\u{10ffff}', '"', '\\', '\n', '\x7f']) {
        const ids = [`p${end}`, `p${end}\u{10ffff}\u{10ffff}`, `p${end}\\`, `p${end}\0`];
        for (const id of [...ids, 'p', 'q', `q${end}`]) await store.commit(id, 0, {});
        assert.deepEqual(await listed(store, { prefix: `p${end}` }), byName(ids), JSON.stringify(end));
        for (const id of [...ids, 'p', 'q', `q${end}`]) await store.delete(id);
      }
    }),

    storeCheck(create, 'lists the latest change first, with what there is to know', async ({ store }) => {
      for (const id of ['a', 'b', 'c']) await store.commit(id, 0, { append: messages('1', '2') });
      await commitNext(store, 'a', {
        append: messages('3'),
        replace: [{ from: 0, to: 1, messages: [] }],
        run: runRecord('r', 'interrupted', 2),
      });
      assert.deepEqual(await listed(store), ['a', 'c', 'b']);
      const [{ cursor, ...first } = { cursor: undefined }, second] = await summaries(store);
      assert.equal(typeof cursor, 'string');
      const record = await store.load('a');
      assert.deepEqual(first, {
        id: 'a',
        revision: record?.revision,
        createdAt: record?.createdAt,
        updatedAt: record?.updatedAt,
        messages: 2,
        status: 'interrupted',
        interrupts: 2,
      });
      assert.deepEqual([second?.status, second?.interrupts], [undefined, 0]);
    }),

    storeCheck(create, 'keeps notes about a session, and lists them', async ({ store }) => {
      const files = ['/notes/a.md', '/results/half \ud800 of \0 😀/'];
      await store.commit('a', 0, { about: { files: ['/notes/a.md'] } });
      await commitNext(store, 'a', { append: messages('1'), about: { files } });
      await commitNext(store, 'a', { append: messages('2') });
      await store.commit('b', 0, {});
      assert.deepEqual((await store.load('a'))?.about, { files });
      assert.equal((await store.load('b'))?.about, undefined);
      assert.deepEqual(
        (await summaries(store)).map(({ id, about }) => [id, about]),
        [
          ['b', undefined],
          ['a', { files }],
        ],
      );
      await store.delete('a');
      await store.commit('a', 0, {});
      assert.equal((await store.load('a'))?.about, undefined);
    }),

    storeCheck(create, 'counts only the questions that have no answer yet', async ({ store }) => {
      const run = runRecord('r', 'interrupted', 2);
      await store.commit('a', 0, { run });
      await commitNext(store, 'a', { run: { ...run, answers: { 'r-0': true } } });
      assert.equal((await summaries(store))[0]?.interrupts, 1);
    }),
  ];
}

export function byName(ids: readonly string[]): string[] {
  return ids.toSorted((a, b) => Buffer.compare(encoded(a), encoded(b)));
}

function encoded(id: string): Buffer {
  return Buffer.from(encodeText(id));
}

export async function summaries(store: Store, filter?: SessionFilter): Promise<SessionSummary[]> {
  const found: SessionSummary[] = [];
  for await (const summary of store.list(filter)) found.push(summary);
  return found;
}

export async function listed(store: Store, filter?: SessionFilter): Promise<string[]> {
  return (await summaries(store, filter)).map(({ id: sessionId }) => sessionId);
}
