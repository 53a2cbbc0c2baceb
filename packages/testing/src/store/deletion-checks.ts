import assert from 'node:assert/strict';

import { rejectsWith, type ConformanceCheck } from '../conformance.ts';
import { idsOf, messages, runRecord } from './store-samples.ts';
import { storeCheck, type CreateStore } from './store-subject.ts';

export function deletionChecks(create: CreateStore): ConformanceCheck[] {
  return [
    storeCheck(create, 'deletes a session completely, and starts it again', async ({ store }) => {
      const journal = { k: { type: 'once', value: 1 } } as const;
      await store.commit('s', 0, { append: messages('a'), journal, run: runRecord('r', 'completed') });
      await store.commit('other', 0, { append: messages('b') });
      assert.equal(await store.delete('s'), true);
      assert.equal(await store.delete('s'), false);
      assert.equal(await store.load('s'), undefined);
      await store.commit('s', 0, {});
      const record = await store.load('s');
      assert.deepEqual([record?.messages, record?.journal, record?.run], [[], {}, undefined]);
      assert.deepEqual(idsOf(await store.load('other')), ['b']);
    }),
    storeCheck(create, 'deletes a session only at the revision that was seen', async ({ store }) => {
      const seen = await store.commit('s', 0, { append: messages('a') });
      const revision = await store.commit('s', seen, { append: messages('b') });
      for (const ifRevision of [0, seen, revision + 1])
        await rejectsWith(store.delete('s', { ifRevision }), 'STORE_CONFLICT', `revision ${ifRevision}`);
      assert.deepEqual(idsOf(await store.load('s')), ['a', 'b']);
      assert.equal(await store.delete('s', { ifRevision: revision }), true);
      assert.equal(await store.load('s'), undefined);
      assert.equal(await store.delete('s', { ifRevision: revision }), false);
    }),
    storeCheck(
      create,
      'never uses a revision of a session twice, also when it is started again',
      async ({ store }) => {
        const used = new Set<number>();
        for (let life = 0; life < 4; life += 1) {
          let revision = 0;
          for (let n = 0; n <= life; n += 1) {
            revision = await store.commit('s', revision, { append: messages(`${life}-${n}`) });
            assert.ok(!used.has(revision), `revision ${revision} was used before the session was deleted`);
            used.add(revision);
          }
          await store.commit('other', 0, {});
          await store.delete('other');
          await store.delete('s');
        }
        for (const revision of used) {
          await rejectsWith(
            store.commit('s', revision, {}),
            'STORE_CONFLICT',
            `revision ${revision} of a deleted one`,
          );
        }
      },
    ),
  ];
}
