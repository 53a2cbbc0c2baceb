import assert from 'node:assert/strict';

import type { RunRecord } from '@shallot/core/store';

import type { ConformanceCheck } from '../conformance.ts';
import { byName, listed, summaries } from './list-checks.ts';
import { commitNext, messages, runRecord } from './store-samples.ts';
import { storeCheck, type CreateStore } from './store-subject.ts';

/** Returns checks of the filters and cursors of listings. */
export function filterChecks(create: CreateStore): ConformanceCheck[] {
  return [
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

    storeCheck(create, 'filters by agent, owner, parent and title', async ({ store }) => {
      const about = { owner: 'ann', parent: 'x/\ud800', title: 'nul\0 😀' };
      const run = (id: string): RunRecord => ({
        ...runRecord('r', 'completed'),
        agent: { id, version: '1' },
      });
      await store.commit('x/1', 0, { run: run('billing'), about });
      await store.commit('x/2', 0, { run: run('support'), about: { owner: 'bob', title: 'other' } });
      await store.commit('x/3', 0, { run: runRecord('r', 'failed'), about: { owner: 'ann' } });
      await store.commit('x/4', 0, { append: messages('1') });
      for (const [filter, expected] of [
        [{ owner: 'ann' }, ['x/3', 'x/1']],
        [{ owner: 'ann', status: 'failed' }, ['x/3']],
        [{ owner: 'ann', prefix: 'x' }, ['x/1', 'x/3']],
        [{ owner: 'an' }, []],
        [{ agent: 'billing' }, ['x/1']],
        [{ agent: 'billing', status: 'failed' }, []],
        [{ parent: about.parent }, ['x/1']],
        [{ title: about.title }, ['x/1']],
        [{ title: 'other', owner: 'ann' }, []],
      ] as const)
        assert.deepEqual(await listed(store, filter), expected, JSON.stringify(filter));
      const [summary] = await summaries(store, { id: 'x/1' });
      assert.deepEqual([summary?.agent, summary?.about], [{ id: 'billing', version: '1' }, about]);
      await commitNext(store, 'x/1', { run: run('support') });
      assert.deepEqual(await listed(store, { agent: 'billing' }), []);
      assert.deepEqual(await listed(store, { agent: 'support' }), ['x/1', 'x/2']);
    }),

    storeCheck(
      create,
      'sets a title without a new revision, and no commit takes it away',
      async ({ store }) => {
        if (store.setTitle === undefined) return;
        const revision = await store.commit('s', 0, { about: { owner: 'ann' } });
        assert.equal(await store.setTitle?.('s', 'first'), true);
        assert.equal(await store.setTitle?.('s', 'half \ud800'), true);
        assert.equal(await store.setTitle?.('gone', 'title'), false);
        const about = { owner: 'ann', title: 'half \ud800' };
        const record = await store.load('s');
        assert.deepEqual([record?.revision, record?.about], [revision, about]);
        assert.deepEqual(await listed(store, { title: about.title }), ['s']);
        await commitNext(store, 's', { about: { owner: 'ann', title: 'old', files: ['/a'] } });
        assert.deepEqual((await store.load('s'))?.about, { ...about, files: ['/a'] });
        assert.deepEqual(await listed(store, { title: 'old' }), []);
        assert.deepEqual(await listed(store, { title: about.title }), ['s']);
      },
    ),

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
        ] as const) {
          const expected = 'prefix' in filter ? byName(ids) : ids.toReversed();
          assert.deepEqual(await listed(store, filter), expected);
          const paged: string[] = [];
          for (let after: string | undefined; paged.length < ids.length;) {
            const page = await summaries(store, {
              ...filter,
              limit: 60,
              ...(after === undefined ? {} : { after }),
            });
            assert.ok(page.length > 0 && page.length <= 60, `a page has ${page.length} sessions`);
            paged.push(...page.map(({ id: sessionId }) => sessionId));
            after = page.at(-1)?.cursor;
          }
          assert.deepEqual(paged, expected);
        }
      },
    ),
  ];
}
