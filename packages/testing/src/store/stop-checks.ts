import assert from 'node:assert/strict';

import { newClaim, type Store } from '@shallot/core/store';

import type { ConformanceCheck } from '../conformance.ts';
import { commitNext, runRecord } from './store-samples.ts';
import { storeCheck, type CreateStore } from './store-subject.ts';

/** Returns checks of requests to stop a run. */
export function stopChecks(create: CreateStore): ConformanceCheck[] {
  return [
    storeCheck(create, 'reports a request to stop when the claim is renewed', async ({ store }) => {
      const claim = newClaim('me', 60_000);
      assert.equal(await store.requestStop('s'), false);
      const revision = await store.commit('s', 0, { run: runRecord('r', 'running'), claim });
      assert.equal(await store.requestStop('s'), true);
      assert.equal(await store.renew('s', claim), 'stop');
      assert.equal((await store.load('s'))?.revision, revision);
      await commitNext(store, 's', { run: runRecord('r', 'running') });
      assert.equal(await store.renew('s', claim), 'stop');
      await commitNext(store, 's', { claim: null });
      const next = newClaim('next', 60_000);
      await commitNext(store, 's', { claim: next });
      assert.equal(await store.renew('s', next), true);
      await commitNext(store, 's', { run: runRecord('r', 'completed'), claim: null });
      assert.equal(await store.requestStop('s'), false);
    }),

    storeCheck(
      create,
      'shows workers which run is to stop, until another process claims it',
      async ({ store }) => {
        await store.commit('s', 0, { run: runRecord('r', 'running'), claim: newClaim('me', 60_000) });
        assert.deepEqual(await marks(store), []);
        assert.equal(await store.requestStop('s'), true);
        assert.equal((await store.load('s'))?.stopRequested, true);
        // Its process hands it back before it learns of the request.
        await commitNext(store, 's', { run: runRecord('r', 'running'), claim: null });
        assert.deepEqual(await marks(store), [true]);
        const taken = await store.takeResumable?.(1);
        if (taken !== undefined) assert.equal(taken[0]?.stopRequested, true);
        await commitNext(store, 's', { claim: newClaim('other', 60_000) });
        await commitNext(store, 's', { claim: null });
        assert.deepEqual(await marks(store), [undefined]);
        assert.equal((await store.load('s'))?.stopRequested, undefined);
      },
    ),

    storeCheck(create, 'forgets the request to stop with the run that it is for', async ({ store }) => {
      await store.commit('s', 0, { run: runRecord('r', 'running') });
      const submitted = {
        ...runRecord('next', 'running'),
        submitted: { isNew: true },
      } as const;
      for (const run of [runRecord('r', 'aborted'), submitted]) {
        await commitNext(store, 's', { run: runRecord('r', 'running') });
        assert.equal(await store.requestStop('s'), true);
        await commitNext(store, 's', { run, claim: null });
        assert.equal((await store.load('s'))?.stopRequested, undefined);
      }
    }),
  ];
}

/** Returns the marks of the runs that workers may resume now. */
async function marks(store: Store): Promise<(true | undefined)[]> {
  const all: (true | undefined)[] = [];
  for await (const { stopRequested } of store.list({ resumable: true })) all.push(stopRequested);
  return all;
}
