import { type Message, memoryStore } from '@shallot/core';
import { type SessionRecord, type Store, checkRevision } from '@shallot/core/store';
import { expect, test } from 'vitest';

import { storeChecks } from './test-store.ts';

/** Stores with a fault, and a check that must find it. */
const faults: Record<string, { readonly breakIt: (store: Store) => Partial<Store>; readonly found: string }> =
  {
    'ignores the revision': {
      breakIt: (store) => ({
        commit: async (sessionId, _revision, change) =>
          store.commit(sessionId, (await store.load(sessionId))?.revision ?? 0, change),
      }),
      found: 'refuses a commit for another revision, and changes nothing',
    },
    'drops replacements': {
      breakIt: (store) => ({
        commit: (sessionId, revision, { replace: _dropped, ...change }) =>
          store.commit(sessionId, revision, change),
      }),
      found: 'applies replacements one after the other, then appends',
    },
    'applies half of a change that it refuses': {
      breakIt: (store) => ({
        async commit(sessionId, revision, change) {
          try {
            return await store.commit(sessionId, revision, change);
          } catch (error) {
            const current = (await store.load(sessionId))?.revision ?? 0;
            if (change.state !== undefined) await store.commit(sessionId, current, { state: change.state });
            throw error;
          }
        },
      }),
      found: 'refuses to replace missing messages, and applies nothing',
    },
    'forgets what else messages have': {
      breakIt: (store) => ({
        load: (sessionId) =>
          withMessages(store, sessionId, (message) => Object.freeze({ ...message, metadata: {} })),
      }),
      found: 'keeps all that messages have, frozen all the way down',
    },
    'freezes messages on the outside only': {
      breakIt: (store) => ({
        load: (sessionId) =>
          withMessages(store, sessionId, (message) => Object.freeze(structuredClone(message))),
      }),
      found: 'keeps all that messages have, frozen all the way down',
    },
    'says of each change that it was the first': {
      breakIt: (store) => ({
        async load(sessionId) {
          const record = await store.load(sessionId);
          return record && { ...record, updatedAt: record.createdAt };
        },
      }),
      found: 'says when a session was made and when it was changed last',
    },
    'takes __proto__ for an object': {
      breakIt: (store) => ({
        load: async (sessionId) => (sessionId === '__proto__' ? undefined : store.load(sessionId)),
      }),
      found: 'takes session ids literally, whatever is in them',
    },
    'lets anybody renew': {
      breakIt: (store) => ({ renew: async (sessionId) => (await store.load(sessionId)) !== undefined }),
      found: 'renews a claim of its owner only, without a new revision',
    },
    'counts from one again after a deletion': {
      breakIt: (store) => {
        /** The first revision of each session. */
        const begun = new Map<string, number>();
        const shift = (sessionId: string): number => begun.get(sessionId) ?? 0;
        return {
          async load(sessionId) {
            const record = await store.load(sessionId);
            return record && { ...record, revision: record.revision - shift(sessionId) };
          },
          async commit(sessionId, revision, change) {
            const from = revision === 0 ? 0 : revision + shift(sessionId);
            const next = await store.commit(sessionId, from, change);
            if (revision === 0) begun.set(sessionId, next - 1);
            return next - shift(sessionId);
          },
        };
      },
      found: 'never uses a revision of a session twice, also when it is started again',
    },
    'deletes whatever the revision': {
      breakIt: (store) => ({ delete: (sessionId) => store.delete(sessionId) }),
      found: 'deletes a session only at the revision that was seen',
    },
    'drops notes': {
      breakIt: (store) => ({
        commit: (sessionId, revision, { about: _dropped, ...change }) =>
          store.commit(sessionId, revision, change),
      }),
      found: 'keeps notes about a session, and lists them',
    },
    'lists the oldest first': {
      breakIt: (store) => ({
        async *list(filter) {
          const all = [];
          for await (const summary of store.list(filter)) all.push(summary);
          yield* all.toReversed();
        },
      }),
      found: 'lists the latest change first, with what there is to know',
    },
    'offers workers what somebody works on': {
      breakIt: (store) => ({
        list: ({ resumable, ...filter } = {}) =>
          store.list(resumable === undefined ? filter : { ...filter, status: 'running' }),
      }),
      found: 'finds what workers may resume, the longest waiting first',
    },
    'forgets who is to stop': {
      breakIt: (store) => ({ renew: async (id, claim) => (await store.renew(id, claim)) !== false }),
      found: 'reports a request to stop when the claim is renewed',
    },
  };

async function withMessages(
  store: Store,
  sessionId: string,
  change: (message: Message) => Message,
): Promise<SessionRecord | undefined> {
  const record = await store.load(sessionId);
  return record && { ...record, messages: record.messages.map(change) };
}

test.each(Object.entries(faults))(
  'a store that %s is found out',
  async (_, { breakIt, found }) => {
    const failed: string[] = [];
    const checks = storeChecks(() => {
      const store = memoryStore();
      return { store: { ...store, ...breakIt(store) } };
    });
    for (const check of checks) {
      await check.run().catch((error: unknown) => failed.push(`${check.name}: ${String(error)}`));
    }
    expect(failed.find((each) => each.startsWith(found))).toContain('What to do: ');
    expect(failed.filter((each) => !each.includes('What to do: '))).toEqual([]);
  },
  30_000,
);

test.each(['ignores the revision', 'drops replacements'])(
  'generated sequences find that it %s',
  async (fault) => {
    const checks = storeChecks(() => {
      const store = memoryStore();
      return { store: { ...store, ...faults[fault]?.breakIt(store) } };
    });
    const generated = checks.find(({ name }) => name.startsWith('does what a simple model does'));
    await expect(generated?.run()).rejects.toThrow('Property failed');
  },
);

test('a store whose revisions grow by more than one passes', async () => {
  const by = 7;
  const checks = storeChecks(() => {
    const { head: _head, messagesFrom: _from, ...store } = memoryStore();
    const load: Store['load'] = async (sessionId) => {
      const record = await store.load(sessionId);
      return record && { ...record, revision: record.revision * by };
    };
    const growing: Store = {
      ...store,
      load,
      async commit(sessionId, revision, change) {
        checkRevision(sessionId, revision, (await load(sessionId))?.revision ?? 0);
        return by * (await store.commit(sessionId, revision / by, change));
      },
      async *list(filter) {
        for await (const summary of store.list(filter)) yield { ...summary, revision: summary.revision * by };
      },
      delete: (sessionId, { ifRevision } = {}) =>
        store.delete(sessionId, ifRevision === undefined ? {} : { ifRevision: ifRevision / by }),
    };
    return { store: growing };
  });
  for (const check of checks) await expect(check.run()).resolves.toBeUndefined();
});
