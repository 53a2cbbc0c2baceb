import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import {
  newClaim,
  type DutyTaken,
  type RunRecord,
  type SessionFilter,
  type Store,
} from '@shallot/core/store';

import type { ConformanceCheck } from '../conformance.ts';
import { commitNext, messages, plain, runRecord } from './store-samples.ts';
import { storeCheck, type CreateStore } from './store-subject.ts';

/** Returns checks of the store members that workers and observers use. */
export function workerChecks(create: CreateStore): ConformanceCheck[] {
  return [
    storeCheck(create, 'finds one session by its id', async ({ store }) => {
      for (const id of ['a', 'ab', 'a%', '']) await store.commit(id, 0, { run: runRecord('r', 'completed') });
      for (const id of ['a', 'ab', 'a%', '']) assert.deepEqual(await found(store, { id }), [id]);
      assert.deepEqual(await found(store, { id: 'b' }), []);
      assert.deepEqual(await found(store, { id: 'a', status: 'running' }), []);
    }),

    storeCheck(create, 'finds what workers may resume, the longest waiting first', async ({ store }) => {
      const failed = {
        ...runRecord('r', 'failed'),
        failure: { code: 'MODEL_OVERLOADED', message: 'busy' } as const,
      };
      const transient = { ...failed, failure: { ...failed.failure, transient: true } as const };
      const asking = runRecord('r', 'interrupted', 1);
      const runs: Record<string, RunRecord> = {
        dead: runRecord('r', 'running'),
        asking,
        answered: { ...asking, answers: { 'r-0': true } },
        completed: runRecord('r', 'completed'),
        failed: { ...failed, submitted: {} },
        'failed in code': transient,
        'to be tried again': { ...transient, submitted: {} },
        later: { ...runRecord('r', 'running'), attempts: { count: 1, notBefore: Date.now() + 3_600_000 } },
        parked: { ...runRecord('r', 'running'), parked: true },
      };
      await store.commit('no run', 0, {});
      for (const [id, run] of Object.entries(runs)) await store.commit(id, 0, { run });
      await store.commit('held', 0, { run: runRecord('r', 'running'), claim: newClaim('me', 60_000) });
      const lapsed = { ...newClaim('me', -1), host: 'elsewhere' };
      await store.commit('lapsed', 0, { run: runRecord('r', 'running'), claim: lapsed });
      const all = ['dead', 'answered', 'to be tried again', 'lapsed'];
      assert.deepEqual(await found(store, { resumable: true }), all);
      assert.deepEqual(await found(store, { resumable: true, prefix: 'd' }), ['dead']);
      assert.deepEqual(await found(store, { resumable: true, status: 'interrupted' }), ['answered']);
      assert.deepEqual(await found(store, { resumable: true, id: 'later' }), []);
      await commitNext(store, 'dead', { run: runRecord('r', 'completed') });
      assert.deepEqual(await found(store, { resumable: true }), all.slice(1));
    }),

    storeCheck(create, 'gives a duty to one process in a period', async ({ store }) => {
      const takeDuty = store.takeDuty?.bind(store);
      if (takeDuty === undefined) return;
      const take = (terms: string, periodMs = 4800): Promise<DutyTaken> =>
        takeDuty('a duty \0', terms, periodMs);
      // The terms of others may not have been heard yet.
      assert.deepEqual(await take('a \0'), { isTaken: false, terms: ['a \0'] });
      assert.deepEqual(await take('b'), { isTaken: false, terms: ['a \0', 'b'] });
      await sleep(250);
      assert.deepEqual(await takeDuty('another', 'c', 4800), { isTaken: false, terms: ['c'] });
      const taken = await Promise.all([take('a \0'), take('a \0'), take('b'), take('b')]);
      assert.equal(taken.filter(({ isTaken }) => isTaken).length, 1);
      // Terms of more than two periods ago are forgotten.
      await sleep(30);
      assert.deepEqual((await take('a \0', 10)).terms, ['a \0']);
    }),

    storeCheck(create, 'reads all of a session but its messages', async ({ store }) => {
      if (store.head === undefined) return;
      assert.equal(await store.head('s'), undefined);
      const claim = newClaim('me', 60_000);
      await store.commit('s', 0, {
        append: messages('a', 'b'),
        state: { plugin: { key: { version: 1, value: 1 } } },
        journal: { k: { type: 'once', value: 1 } },
        run: runRecord('r', 'running'),
        about: { owner: 'ann' },
        claim,
      });
      const { messages: _, ...rest } = (await store.load('s')) ?? { messages: [] };
      const head = await store.head('s');
      // A store may decide by its own clock when a claim expires.
      assert.equal(head?.claim?.owner, claim.owner);
      assert.deepEqual(plain({ ...head, claim }), plain({ ...rest, claim }));
    }),

    storeCheck(create, 'reads the messages from one on', async ({ store }) => {
      if (store.messagesFrom === undefined) return;
      assert.equal(await store.messagesFrom('s', 'm0'), undefined);
      const ids = Array.from({ length: 700 }, (_, index) => `m${index}`);
      const revision = await store.commit('s', 0, { append: messages(...ids) });
      for (const from of [0, 1, 350, 690, 699]) {
        const found = await store.messagesFrom('s', `m${from}`);
        assert.equal(found?.revision, revision);
        assert.deepEqual(
          found.messages.map(({ id }) => id),
          ids.slice(from),
        );
      }
      assert.equal(await store.messagesFrom('s', 'gone'), undefined);
      await commitNext(store, 's', { replace: [{ from: 0, to: 600, messages: messages('summary') }] });
      assert.equal(await store.messagesFrom('s', 'm599'), undefined);
      assert.equal((await store.messagesFrom('s', 'summary'))?.messages.length, 101);
    }),

    storeCheck(create, 'finds the runs of an agent, and those of none', async ({ store }) => {
      const run = (id: string): RunRecord => ({ ...runRecord('r', 'running'), agent: { id } });
      await store.commit('a', 0, { run: run('billing') });
      await store.commit('b', 0, { run: runRecord('r', 'running') });
      await store.commit('c', 0, { run: run('support') });
      assert.deepEqual(await found(store, { resumable: true, agent: 'billing' }), ['a', 'b']);
      assert.deepEqual(await found(store, { resumable: true, agent: 'other' }), ['b']);
      assert.deepEqual(await found(store, { resumable: true, limit: 2 }), ['a', 'b']);
    }),

    storeCheck(create, 'lists more than a page of what workers may resume', async ({ store }) => {
      const ids = Array.from({ length: 250 }, (_, index) => `s${index}`);
      for (const id of ids) await store.commit(id, 0, { run: runRecord('r', 'running') });
      assert.deepEqual(await found(store, { resumable: true }), ids);
    }),

    storeCheck(create, 'lists parked runs under a status of their own', async ({ store }) => {
      await store.commit('a', 0, { run: { ...runRecord('r', 'running'), parked: true } });
      await store.commit('b', 0, { run: runRecord('r', 'running') });
      assert.deepEqual(await found(store, { status: 'parked' }), ['a']);
      assert.deepEqual(await found(store, { status: 'running' }), ['b']);
      await commitNext(store, 'a', { run: runRecord('r', 'running') });
      assert.deepEqual(await found(store, { status: 'parked' }), []);
    }),
  ];
}

async function found(store: Store, filter: SessionFilter): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of store.list(filter)) ids.push(id);
  return ids;
}
