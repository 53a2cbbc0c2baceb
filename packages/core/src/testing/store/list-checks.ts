import assert from 'node:assert/strict';

import type { SessionFilter, SessionSummary, Store } from '../../contract/store.ts';
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
        const expected = hostileIds.filter((other) => other.startsWith(id)).toReversed();
        assert.deepEqual(await listed(store, { prefix: id }), expected, `prefix ${JSON.stringify(id)}`);
      }
      for (const id of hostileIds) assert.equal(await store.delete(id), true);
      assert.deepEqual(await listed(store), []);
    }),

    storeCheck(create, 'finds a prefix that ends in the middle of a character', async ({ store }) => {
      await store.commit('😀 one', 0, {});
      await store.commit('\ud83d alone', 0, {});
      await store.commit('\ud83c\udf00 other', 0, {});
      assert.deepEqual(await listed(store, { prefix: '\ud83d' }), ['\ud83d alone', '😀 one']);
    }),

    storeCheck(create, 'finds a prefix whatever it ends in, and whatever follows it', async ({ store }) => {
      for (const end of ['\ud7ff', '\uffff', '\udfff', '\u{10ffff}', '"', '\\', '\n', '\x7f']) {
        const ids = [`p${end}`, `p${end}\u{10ffff}\u{10ffff}`, `p${end}\\`, `p${end}\0`];
        for (const id of [...ids, 'p', 'q', `q${end}`]) await store.commit(id, 0, {});
        assert.deepEqual(await listed(store, { prefix: `p${end}` }), ids.toReversed(), JSON.stringify(end));
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
      const [first, second] = await summaries(store);
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

    storeCheck(create, 'counts only the questions that have no answer yet', async ({ store }) => {
      const run = runRecord('r', 'interrupted', 2);
      await store.commit('a', 0, { run });
      await commitNext(store, 'a', { run: { ...run, answers: { 'r-0': true } } });
      assert.equal((await summaries(store))[0]?.interrupts, 1);
    }),

    storeCheck(create, 'filters by status and prefix', async ({ store }) => {
      await store.commit('x/1', 0, { run: runRecord('r', 'interrupted', 1) });
      await store.commit('x/2', 0, { run: runRecord('r', 'completed') });
      await store.commit('y/1', 0, { run: runRecord('r', 'interrupted', 1) });
      await store.commit('y/2', 0, {});
      assert.deepEqual(await listed(store, { status: 'interrupted' }), ['y/1', 'x/1']);
      assert.deepEqual(await listed(store, { status: 'interrupted', prefix: 'x' }), ['x/1']);
      assert.deepEqual(await listed(store, { prefix: '' }), ['y/2', 'y/1', 'x/2', 'x/1']);
      await commitNext(store, 'x/1', { run: runRecord('r', 'completed') });
      assert.deepEqual(await listed(store, { status: 'interrupted' }), ['y/1']);
    }),

    storeCheck(
      create,
      'lists more than a page, and lets sessions be deleted meanwhile',
      async ({ store }) => {
        const ids = Array.from({ length: 250 }, (_, index) => `s${index}`);
        for (const id of ids) await store.commit(id, 0, {});
        const seen: string[] = [];
        for await (const { id: sessionId } of store.list()) {
          seen.push(sessionId);
          await store.delete(sessionId);
        }
        assert.deepEqual(seen, ids.toReversed());
        assert.deepEqual(await listed(store), []);
        for (const id of ids) await store.commit(id, 0, { run: runRecord('r', 'completed') });
        await store.commit('other', 0, {});
        for (const filter of [
          { prefix: 's' },
          { status: 'completed' },
          { prefix: 's', status: 'completed' },
        ] as const)
          assert.deepEqual(await listed(store, filter), ids.toReversed());
      },
    ),
  ];
}

async function summaries(store: Store, filter?: SessionFilter): Promise<SessionSummary[]> {
  const found: SessionSummary[] = [];
  for await (const summary of store.list(filter)) found.push(summary);
  return found;
}

async function listed(store: Store, filter?: SessionFilter): Promise<string[]> {
  return (await summaries(store, filter)).map(({ id: sessionId }) => sessionId);
}
