import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import { toMessage } from '@shallot/core/model';
import { recordFormat } from '@shallot/core/store';

import { rejectsWith, type ConformanceCheck } from '../conformance.ts';
import {
  awkwardValue,
  idsOf,
  message,
  messages,
  plain,
  richMessages,
  runRecord,
  withoutTimes,
  commitNext,
} from './store-samples.ts';
import { storeCheck, type CreateStore } from './store-subject.ts';

const replacements = [
  { from: 0, to: 1, ids: ['x'], result: ['x', 'b', 'c', 'd'] },
  { from: 0, to: 3, ids: ['x'], result: ['x', 'd'] },
  { from: 1, to: 3, ids: ['x', 'y', 'z'], result: ['a', 'x', 'y', 'z', 'd'] },
  { from: 0, to: 0, ids: ['x'], result: ['x', 'a', 'b', 'c', 'd'] },
  { from: 4, to: 4, ids: ['x'], result: ['a', 'b', 'c', 'd', 'x'] },
  { from: 0, to: 4, ids: [], result: [] },
] as const;

export function commitChecks(create: CreateStore): ConformanceCheck[] {
  return [...contentChecks(create), ...refusalChecks(create)];
}

function contentChecks(create: CreateStore): ConformanceCheck[] {
  return [
    storeCheck(create, 'knows nothing of a session that was never committed', async ({ store }) => {
      assert.equal(await store.load('s'), undefined);
      assert.equal(await store.delete('s'), false);
    }),

    storeCheck(
      create,
      'gives back what was appended, in order, under growing revisions',
      async ({ store }) => {
        const before = Date.now();
        const first = await store.commit('s', 0, { append: messages('a') });
        const second = await store.commit('s', first, { append: messages('b', 'c') });
        const third = await store.commit('s', second, {});
        const revisions = [first, second, third];
        assert.ok(revisions.every(Number.isSafeInteger), `the revisions are ${revisions.join(', ')}`);
        assert.ok(0 < first && first < second && second < third, `the revisions are ${revisions.join(', ')}`);
        const record = await store.load('s');
        assert.deepEqual(withoutTimes(record), {
          format: recordFormat,
          id: 's',
          revision: third,
          messages: plain(messages('a', 'b', 'c')),
          state: {},
          journal: {},
        });
        assert.ok(record !== undefined && record.createdAt >= before && record.updatedAt >= record.createdAt);
      },
    ),

    ...replacements.map(({ from, to, ids, result }) =>
      storeCheck(create, `replaces ${from} to ${to} of four by ${ids.length}`, async ({ store }) => {
        await store.commit('s', 0, { append: messages('a', 'b', 'c', 'd') });
        await commitNext(store, 's', { replace: [{ from, to, messages: messages(...ids) }] });
        assert.deepEqual(idsOf(await store.load('s')), result);
      }),
    ),

    storeCheck(create, 'applies replacements one after the other, then appends', async ({ store }) => {
      await store.commit('s', 0, { append: messages('a', 'b', 'c') });
      await commitNext(store, 's', {
        replace: [
          { from: 0, to: 2, messages: messages('x') },
          { from: 1, to: 2, messages: messages('y', 'z') },
        ],
        append: messages('end'),
      });
      assert.deepEqual(idsOf(await store.load('s')), ['x', 'y', 'z', 'end']);
    }),

    storeCheck(create, 'takes a hundred insertions at one place', async ({ store }) => {
      await store.commit('s', 0, { append: messages('first', 'last') });
      for (let n = 0; n < 100; n += 1) {
        await commitNext(store, 's', { replace: [{ from: 1, to: 1, messages: messages(`m${n}`) }] });
      }
      const inserted = Array.from({ length: 100 }, (_, n) => `m${99 - n}`);
      assert.deepEqual(idsOf(await store.load('s')), ['first', ...inserted, 'last']);
    }),

    storeCheck(create, 'merges state and journal by key; null removes an entry', async ({ store }) => {
      const entry = (value: number) => ({ version: 1, value });
      const hostile: unknown = JSON.parse('{"__proto__":{"__proto__":{"version":1,"value":"own"}}}');
      await store.commit('s', 0, {
        state: { p: { a: entry(1), b: entry(2) }, q: { a: entry(3) } },
        journal: { one: { type: 'once', value: 1 }, two: { type: 'once', value: 2 } },
      });
      await commitNext(store, 's', {
        state: { p: { a: null, c: entry(4) }, q: { a: null } },
        journal: { one: null, two: { type: 'once', value: 3 }, ['__proto__']: { type: 'once', value: 4 } },
      });
      // The text above shows that it has this form.
      await commitNext(store, 's', { state: hostile as Record<string, Record<string, null>> });
      const record = await store.load('s');
      assert.deepEqual(Object.keys(record?.state ?? {}).toSorted(), ['__proto__', 'p']);
      assert.deepEqual(record?.state['p'], { b: entry(2), c: entry(4) });
      assert.deepEqual(
        Object.entries(record?.journal ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)),
        [
          ['__proto__', { type: 'once', value: 4 }],
          ['two', { type: 'once', value: 3 }],
        ],
      );
    }),

    storeCheck(create, 'keeps the last run, and values as they are', async ({ store }) => {
      const value = awkwardValue();
      const run = { ...runRecord('r', 'running'), answers: { i: value } };
      await store.commit('s', 0, { run, journal: { k: { type: 'once', value } } });
      await commitNext(store, 's', { append: [message('m', 'half \ud800 of \0 😀')] });
      const record = await store.load('s');
      assert.equal(JSON.stringify(record?.run), JSON.stringify(run));
      assert.equal(JSON.stringify(record?.journal['k']), JSON.stringify({ type: 'once', value }));
      assert.equal(JSON.stringify(record?.messages[0]), JSON.stringify(message('m', 'half \ud800 of \0 😀')));
    }),

    storeCheck(create, 'keeps all that messages have, frozen all the way down', async ({ store }) => {
      const whole = richMessages().map((one) => toMessage(one, () => ''));
      await store.commit('s', 0, { append: whole });
      const stored = (await store.load('s'))?.messages ?? [];
      assert.deepEqual(plain(stored), plain(whole));
      assert.ok(stored.every(isFrozen), 'a part of a message is not frozen');
    }),

    storeCheck(create, 'says when a session was made and when it was changed last', async ({ store }) => {
      await store.commit('s', 0, { append: messages('a') });
      const first = await store.load('s');
      await sleep(5);
      await commitNext(store, 's', { append: messages('b') });
      const second = await store.load('s');
      assert.equal(second?.createdAt, first?.createdAt);
      assert.ok(Number(second?.updatedAt) > Number(first?.updatedAt), 'updatedAt is that of an older commit');
    }),

    storeCheck(create, 'gives records that later commits do not change', async ({ store }) => {
      await store.commit('s', 0, { append: messages('a', 'b'), journal: { k: { type: 'once', value: 1 } } });
      const record = await store.load('s');
      const before = withoutTimes(record);
      await commitNext(store, 's', {
        replace: [{ from: 0, to: 1, messages: messages('x') }],
        append: messages('c'),
        journal: { k: null },
      });
      assert.deepEqual(withoutTimes(record), before);
    }),

    storeCheck(create, 'gives each caller an array of messages of its own', async ({ store }) => {
      await store.commit('s', 0, { append: messages('a', 'b') });
      const [record, other] = [await store.load('s'), await store.load('s')];
      record?.messages.reverse();
      record?.messages.push(message('c'));
      assert.deepEqual(idsOf(other), ['a', 'b'], 'two callers got one array');
      assert.deepEqual(
        idsOf(await store.load('s')),
        ['a', 'b'],
        'the store keeps using the array of the caller',
      );
      assert.ok(other?.messages.every(Object.isFrozen), 'the messages are not frozen');
    }),
  ];
}

function isFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}

function refusalChecks(create: CreateStore): ConformanceCheck[] {
  return [
    storeCheck(create, 'refuses a commit for another revision, and changes nothing', async ({ store }) => {
      const change = { append: messages('late'), journal: { k: { type: 'once', value: 1 } } } as const;
      await rejectsWith(store.commit('s', 1, change), 'STORE_CONFLICT', 'a revision of no session');
      assert.equal(await store.load('s'), undefined);
      const stale = await store.commit('s', 0, { append: messages('a') });
      const current = await store.commit('s', stale, { append: messages('b') });
      const before = withoutTimes(await store.load('s'));
      for (const revision of [0, stale, current + 1]) {
        const said = await rejectsWith(
          store.commit('s', revision, change),
          'STORE_CONFLICT',
          `revision ${revision}`,
        );
        assert.match(
          said,
          new RegExp(`\\b${current}\\b.*\\b${revision}\\b`),
          'it does not say which revisions',
        );
      }
      assert.deepEqual(withoutTimes(await store.load('s')), before);
    }),

    storeCheck(create, 'lets one of several commits for one revision win', async ({ store }) => {
      const revision = await store.commit('s', 0, {});
      const ids = Array.from({ length: 8 }, (_, index) => `m${index}`);
      const settled = await Promise.allSettled(
        ids.map((id) => store.commit('s', revision, { append: messages(id) })),
      );
      const winners = ids.filter((_, index) => settled[index]?.status === 'fulfilled');
      assert.equal(winners.length, 1, `${winners.length} of 8 won`);
      assert.deepEqual(idsOf(await store.load('s')), winners);
    }),

    storeCheck(create, 'refuses to replace missing messages, and applies nothing', async ({ store }) => {
      const revision = await store.commit('s', 0, { append: messages('a', 'b') });
      const before = withoutTimes(await store.load('s'));
      for (const [from, to] of [
        [0, 3],
        [3, 3],
        [-1, 1],
        [2, 1],
      ] as const) {
        const change = {
          append: messages('c'),
          state: { p: { k: { version: 1, value: 1 } } },
          replace: [
            { from: 0, to: 1, messages: messages('x') },
            { from, to, messages: [] },
          ],
        };
        await rejectsWith(store.commit('s', revision, change), 'STORE_FAILED', `${from} to ${to} of two`);
        assert.deepEqual(withoutTimes(await store.load('s')), before, 'a part of the change was applied');
      }
      const change = { replace: [{ from: 0, to: 1, messages: [] }] };
      await rejectsWith(store.commit('new', 0, change), 'STORE_FAILED', 'a new session');
      assert.equal(await store.load('new'), undefined);
    }),

    storeCheck(create, 'refuses a record of a newer format, and leaves it as it is', async (subject) => {
      const { store, makeNewer } = subject;
      if (makeNewer === undefined) return;
      const revision = await store.commit('s', 0, { append: messages('a') });
      await makeNewer('s');
      await rejectsWith(store.load('s'), 'STORE_FORMAT', 'load');
      await rejectsWith(store.commit('s', revision, { append: messages('b') }), 'STORE_FORMAT', 'commit');
      await rejectsWith(store.load('s'), 'STORE_FORMAT', 'load after a refused commit');
    }),
  ];
}
