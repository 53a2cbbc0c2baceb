import assert from 'node:assert/strict';

import { newClaim } from '@shallot/core/store';

import { rejectsWith, type ConformanceCheck } from '../conformance.ts';
import { commitNext, runRecord } from './store-samples.ts';
import { storeCheck, type CreateStore } from './store-subject.ts';

/** A run that a tool call of the session `root` began. */
function childRun(status: 'running' | 'interrupted' | 'completed'): ReturnType<typeof runRecord> {
  const parent = { agent: 'a', sessionId: 'root', runId: 'r', step: 1, callId: 'c' };
  return { ...runRecord('child', status), parent };
}

export function childChecks(create: CreateStore): ConformanceCheck[] {
  return [
    storeCheck(
      create,
      'lists the sessions of child runs only by id or parent, and never for workers',
      async ({ store }) => {
        const ids = async (filter?: Parameters<typeof store.list>[0]): Promise<string[]> => {
          const found: string[] = [];
          for await (const { id } of store.list(filter)) found.push(id);
          return found.toSorted();
        };
        await store.commit('root', 0, { run: runRecord('r', 'completed') });
        await store.commit('begun', 0, { about: { parent: 'root' }, run: runRecord('b', 'running') });
        const about = { parent: 'root', root: 'root' };
        await store.commit('child', 0, { about, run: childRun('running') });
        assert.deepEqual(await ids(), ['begun', 'root']);
        assert.deepEqual(await ids({ prefix: 'c' }), []);
        assert.deepEqual(await ids({ parent: 'root' }), ['begun', 'child']);
        assert.deepEqual(await ids({ id: 'child' }), ['child']);
        assert.deepEqual(await ids({ resumable: true }), ['begun']);
        assert.deepEqual(await ids({ id: 'child', resumable: true }), []);
        assert.deepEqual((await store.load('child'))?.run, childRun('running'));
      },
    ),

    storeCheck(
      create,
      'deletes the sessions of child runs together with that of their root',
      async ({ store }) => {
        const title = '"root":"root"';
        await store.commit('root', 0, {});
        await store.commit('child', 0, { about: { parent: 'root', root: 'root' } });
        await store.commit('grandchild', 0, { about: { parent: 'child', root: 'root' } });
        await store.commit('begun', 0, { about: { parent: 'root', title } });
        const revision = (await store.load('child'))?.revision ?? 0;
        await rejectsWith(store.delete('root', { ifRevision: 999 }), 'STORE_CONFLICT', 'another revision');
        assert.equal((await store.load('grandchild'))?.about?.root, 'root');
        assert.equal(await store.delete('root'), true);
        for (const id of ['root', 'child', 'grandchild']) assert.equal(await store.load(id), undefined);
        assert.equal((await store.load('begun'))?.about?.title, title);
        assert.ok(
          (await store.commit('child', 0, {})) > revision,
          'a revision of a deleted child is used again',
        );
      },
    ),

    storeCheck(
      create,
      'lets the holder of the root take the claim on a child at once, and nobody else',
      async ({ store }) => {
        await store.commit('child', 0, { claim: newClaim('first', 60_000, 'root') });
        for (const claim of [newClaim('other', 60_000), newClaim('other', 60_000, 'another root')])
          await rejectsWith(
            commitNext(store, 'child', { claim }),
            'STORE_CONFLICT',
            'the claim of a stranger',
          );
        await commitNext(store, 'child', { claim: newClaim('second', 60_000, 'root') });
        assert.equal((await store.load('child'))?.claim?.root, 'root');
        assert.equal(await store.renew('child', newClaim('first', 60_000, 'root')), false);
      },
    ),

    storeCheck(create, 'reports a request to stop a child that works', async ({ store }) => {
      const claim = newClaim('me', 60_000, 'root');
      const about = { parent: 'root', root: 'root' };
      await store.commit('child', 0, { run: childRun('running'), claim, about });
      assert.equal(await store.requestStop('child'), true);
      assert.equal(await store.renew('child', claim), 'stop');
      await commitNext(store, 'child', { run: childRun('interrupted'), claim: null });
      assert.equal(await store.requestStop('child'), false);
    }),
  ];
}
