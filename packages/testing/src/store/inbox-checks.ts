import assert from 'node:assert/strict';

import {
  maxInboxEntries,
  type InboxEntry,
  type InboxNews,
  type RunRecord,
  type Store,
} from '@shallot/core/store';

import { rejectsWith, type ConformanceCheck } from '../conformance.ts';
import { commitNext, message, plain, runRecord } from './store-samples.ts';
import { storeCheck, type CreateStore } from './store-subject.ts';

/** A store with an inbox. */
type InboxStore = Store & Required<Pick<Store, 'send' | 'inbox' | 'unsend'>>;

/** Returns checks of the inbox of a session, for stores that have one. */
export function inboxChecks(create: CreateStore): ConformanceCheck[] {
  const check = (name: string, run: (store: InboxStore) => Promise<void>): ConformanceCheck =>
    storeCheck(create, name, async ({ store }) => {
      if (store.send === undefined && store.inbox === undefined && store.unsend === undefined) return;
      assert.ok(hasInbox(store), 'send, inbox and unsend belong together');
      await run(store);
    });

  return [
    check('keeps what is sent to a run in order, until a commit takes it', async (store) => {
      await store.commit('s', 0, { append: [message('1')], run: runRecord('r', 'running') });
      const revision = (await store.load('s'))?.revision;
      assert.equal(await store.send('s', entry('a')), true);
      assert.equal(await store.send('s', entry('half \ud800', 'r')), true);
      assert.equal(await store.send('s', entry('c')), true);
      assert.equal(await store.send('s', entry('a')), true);
      assert.deepEqual(await ids(store), ['a', 'half \ud800', 'c']);
      assert.deepEqual(plain(await store.inbox('s', { run: 'r' })), plain([entry('a'), entry('c')]));
      assert.deepEqual(await ids(store, 'later'), ['a', 'half \ud800', 'c']);
      assert.equal((await store.load('s'))?.revision, revision);
      await commitNext(store, 's', { append: [message('2')], taken: ['c', 'gone', 'half \ud800'] });
      assert.deepEqual(await ids(store), ['a']);
    }),

    check('takes nothing with a commit that is refused', async (store) => {
      await store.commit('s', 0, { run: runRecord('r', 'running') });
      await store.send('s', entry('a'));
      const change = { append: [message('1')], taken: ['a'] };
      await rejectsWith(store.commit('s', 0, change), 'STORE_CONFLICT', 'a stale commit');
      assert.deepEqual(await ids(store), ['a']);
    }),

    check('lets an entry be taken back until it is held', async (store) => {
      await store.commit('s', 0, { run: runRecord('r', 'interrupted', 1) });
      await store.send('s', entry('a'));
      await store.send('s', entry('b'));
      await store.send('s', entry('c', 'r'));
      assert.deepEqual(await ids(store), ['a', 'b', 'c']);
      assert.equal(await store.unsend('s', 'a'), true);
      assert.equal(await store.unsend('s', 'a'), false);
      assert.equal(await store.unsend('gone', 'b'), false);
      const held = await store.inbox('s', { run: 'r', hold: true });
      assert.deepEqual(plain(held), plain([entry('b')]));
      assert.equal(await store.unsend('s', 'b'), false);
      await store.send('s', entry('d'));
      await store.send('s', entry('e'));
      assert.deepEqual(
        plain(await store.inbox('s', { ids: ['d', 'gone'], hold: true })),
        plain([entry('d')]),
      );
      assert.equal(await store.unsend('s', 'd'), false);
      assert.equal(await store.unsend('s', 'e'), true);
      assert.equal(await store.unsend('s', 'c'), true);
      assert.deepEqual(await ids(store), ['b', 'd']);
    }),

    check('refuses what no run can take', async (store) => {
      assert.equal(await store.send('gone', entry('a')), false);
      await store.commit('new', 0, { append: [message('1')] });
      assert.equal(await store.send('new', entry('a')), false);
      for (const status of ['completed', 'aborted', 'failed'] as const) {
        await store.commit(status, 0, { run: runRecord('r', status) });
        assert.equal(await store.send(status, entry('a')), false, status);
        assert.deepEqual(await store.inbox(status), []);
      }
      await store.commit('parked', 0, { run: { ...runRecord('r', 'running'), parked: true } });
      assert.equal(await store.send('parked', entry('a')), false, 'parked');
    }),

    check(
      'lists a session for workers that have to begin a run with what the last one has left',
      async (store) => {
        const submitted = (status: 'running' | 'completed'): RunRecord => ({
          ...runRecord('r', status),
          submitted: {},
        });
        const resumable = async (): Promise<string[]> => {
          const found: string[] = [];
          for await (const { id } of store.list({ resumable: true })) found.push(id);
          return found;
        };
        for (const id of ['left', 'empty', 'own']) await store.commit(id, 0, { run: submitted('running') });
        await store.send('left', entry('a', 'r'));
        await store.send('own', entry('a', 'r'));
        await commitNext(store, 'own', { run: runRecord('r', 'completed') });
        for (const id of ['left', 'empty']) await commitNext(store, id, { run: submitted('completed') });
        assert.deepEqual(await resumable(), ['left']);
        assert.equal(await store.requestStop('left'), false);
        assert.equal(await store.unsend('left', 'a'), true);
        await commitNext(store, 'left', { run: submitted('completed') });
        assert.deepEqual(await resumable(), []);
      },
    ),

    check('drops the inbox with its session', async (store) => {
      await store.commit('s', 0, { run: runRecord('r', 'running') });
      await store.send('s', entry('a'));
      await store.delete('s');
      await store.commit('s', 0, { run: runRecord('r', 'running') });
      assert.deepEqual(await ids(store), []);
    }),

    check('keeps all that an entry says', async (store) => {
      await store.commit('s', 0, { run: runRecord('r', 'running') });
      const instead: InboxEntry = { ...entry('a'), instead: true };
      const answers: InboxEntry = { id: 'b', answers: { int_1: ['half \ud800'] }, by: 'ann' };
      await store.send('s', instead);
      await store.send('s', answers);
      assert.deepEqual(plain(await store.inbox('s', { run: 'r' })), plain([instead, answers]));
    }),

    check('tells the process of a run what was sent, and that it is to stop', async (store) => {
      if (store.watchInbox === undefined) return;
      await store.commit('s', 0, { run: runRecord('r', 'running') });
      await store.commit('other', 0, { run: runRecord('r', 'running') });
      for (const news of ['sent', 'stop'] as const) {
        const heard = Promise.withResolvers<void>();
        const leave = store.watchInbox('s', (said) => {
          if (said === news) heard.resolve();
        });
        // A listener that has just begun may miss the first notification.
        const again = setInterval(() => void tell(store, news), 50);
        await tell(store, news);
        await heard.promise;
        clearInterval(again);
        leave();
      }
    }),

    check(`holds ${maxInboxEntries} entries at most`, async (store) => {
      await store.commit('s', 0, { run: runRecord('r', 'running') });
      await Promise.all(Array.from({ length: maxInboxEntries }, (_, n) => store.send('s', entry(`${n}`))));
      await rejectsWith(store.send('s', entry('more')), 'INBOX_FULL', 'one entry more');
      assert.equal(await store.unsend('s', '7'), true);
      assert.equal(await store.send('s', entry('more')), true);
    }),
  ];
}

function hasInbox(store: Store): store is InboxStore {
  return store.send !== undefined && store.inbox !== undefined && store.unsend !== undefined;
}

async function tell(store: InboxStore, news: InboxNews): Promise<void> {
  if (news === 'stop') await store.requestStop('s');
  else await store.send('s', entry(`${Date.now()}`));
}

function entry(id: string, after?: string): InboxEntry {
  return { id, message: message(id), ...(after === undefined ? {} : { after }) };
}

async function ids(store: InboxStore, run?: string): Promise<string[]> {
  const entries = await store.inbox('s', run === undefined ? {} : { run });
  return entries.map(({ id }) => id);
}
