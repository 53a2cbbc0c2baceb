import assert from 'node:assert/strict';

import { newClaim, type RunRecord, type Store, type TakeFilter } from '@shallot/core/store';

import type { ConformanceCheck } from '../conformance.ts';
import { commitNext, runRecord } from './store-samples.ts';
import { storeCheck, type CreateStore } from './store-subject.ts';

const submitted = (change: Partial<RunRecord> = {}): RunRecord => ({
  ...runRecord('r', 'running'),
  agent: { id: 'tea' },
  submitted: { isNew: true },
  ...change,
});

/** Returns checks of the sessions that a store gives to workers. */
export function takeChecks(create: CreateStore): ConformanceCheck[] {
  return [
    storeCheck(create, 'gives each session that may be resumed to one worker', async ({ store }) => {
      if (store.takeResumable === undefined) return;
      const ids = Array.from({ length: 40 }, (_, index) => `s${index}`);
      for (const id of ids) await store.commit(id, 0, { run: submitted() });
      const given = await Promise.all(Array.from({ length: 8 }, () => taken(store, 5)));
      assert.deepEqual(given.flat().toSorted(), ids.toSorted());
      assert.deepEqual(await taken(store, 40), []);
      // A claim ends the hold on a session that was given; a released session is available to everyone.
      await commitNext(store, 's0', { claim: newClaim('me', 60_000) });
      await commitNext(store, 's0', { claim: null });
      assert.deepEqual(await taken(store, 40), ['s0']);
    }),

    storeCheck(create, 'gives no session that may not be resumed here', async ({ store }) => {
      if (store.takeResumable === undefined) return;
      const about = { owner: 'ann', parent: 'p\0' };
      const version = (text: string): RunRecord => submitted({ agent: { id: 'tea', version: text } });
      await store.commit('fits', 0, { run: version('2'), about });
      await store.commit('of none', 0, { run: { ...runRecord('r', 'running') } });
      await store.commit('of another', 0, { run: submitted({ agent: { id: 'coffee' } }) });
      await store.commit('of another version', 0, { run: version('1') });
      await store.commit('held', 0, { run: submitted(), claim: newClaim('me', 60_000) });
      await store.commit('completed', 0, { run: submitted({ status: 'completed' }) });
      const attempts = { count: 1, notBefore: Date.now() + 3_600_000 };
      await store.commit('later', 0, { run: submitted({ attempts }) });
      const [lapsed, dead] = [newClaim('other', -1), newClaim('gone', 60_000)];
      await store.commit('lapsed', 0, { run: submitted(), claim: { ...lapsed, host: 'elsewhere' } });
      // No process of this machine has this id.
      await store.commit('dead', 0, { run: submitted(), claim: { ...dead, pid: 2 ** 22 + 1 } });
      const fits = ['dead', 'fits', 'lapsed', 'of none'];
      assert.deepEqual(await taken(store, 9, { owner: 'bob' }), []);
      assert.deepEqual(await taken(store, 9, { status: 'interrupted' }), []);
      assert.deepEqual(await taken(store, 9, { version: '2', except: ['fits', 'dead', 'lapsed'] }), [
        'of none',
      ]);
      assert.deepEqual(await taken(store, 9, { version: '2', owner: 'ann', parent: about.parent }), ['fits']);
      await commitNext(store, 'fits', { claim: null });
      await commitNext(store, 'of none', { claim: null });
      assert.deepEqual(await taken(store, 9, { version: '2' }), fits);
      assert.deepEqual(await taken(store, 9), ['of another version']);
    }),

    storeCheck(
      create,
      'gives runs that nobody has begun beside those that wait longer',
      async ({ store }) => {
        if (store.takeResumable === undefined) return;
        for (let index = 0; index < 20; index += 1)
          await store.commit(`left ${index}`, 0, { run: submitted({ submitted: {} }) });
        for (const id of ['fresh 1', 'fresh 2', 'fresh 3']) await store.commit(id, 0, { run: submitted() });
        const first = await taken(store, 4);
        assert.deepEqual(first, ['fresh 1', 'fresh 2', 'left 0', 'left 1']);
        assert.equal((await taken(store, 1))[0], 'fresh 3');
      },
    ),
  ];
}

async function taken(store: Store, count: number, filter: TakeFilter = {}): Promise<string[]> {
  const given = await store.takeResumable?.(count, { agent: 'tea', ...filter });
  return (given ?? []).map(({ id }) => id).toSorted();
}
