import { describe, expect, it, vi } from 'vitest';

import { messages, runRecord } from '../../../testing/src/store/store-samples.ts';
import type { RunRecord, Store } from '../contract/store.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { readNew } from './read-new.ts';

const old = ['a', 'b'];
const own = ['r.1', 'r.2', 'r.3'];

/** A store with a session of two messages before the run, and three of it. */
async function storeWith(rest: Partial<RunRecord> = {}, ids: readonly string[] = [...old, ...own]) {
  const store = memoryStore();
  const run = { ...runRecord('r', 'running'), firstMessage: 'r.1', ...rest };
  await store.commit('s', 0, { append: messages(...ids), run });
  return store;
}

function withoutPart(store: Store): Store {
  const { messagesFrom: _, ...rest } = store;
  return rest;
}

const seen = async (store: Store, last?: string, runId?: string): Promise<unknown> => {
  const { messages: found, isAnew } = (await readNew(store, 's', runId, last)) ?? {};
  return [found?.map(({ id }) => id), isAnew === true];
};

describe.each([
  ['from a place on', (store: Store) => store],
  ['as a whole', withoutPart],
])('a follower of a session that is read %s', (_, as) => {
  it.each([
    [undefined, own],
    ['r.1', ['r.2', 'r.3']],
    ['r.2', ['r.3']],
    ['r.3', []],
  ])('which has it up to %s gets %j', async (last, ids) => {
    expect(await seen(as(await storeWith()), last)).toEqual([ids, false]);
  });

  it('gets all of the run anew if what it has was replaced', async () => {
    expect(await seen(as(await storeWith()), 'r.0')).toEqual([own, true]);
    const summed = await storeWith({}, ['sum', 'r.2', 'r.3']);
    expect(await seen(as(summed), 'r.1')).toEqual([['r.2', 'r.3'], true]);
    expect(await seen(as(summed))).toEqual([['r.2', 'r.3'], false]);
    expect(await seen(as(await storeWith({}, [...own, 'q.1'])), 'r.0', 'q')).toEqual([[...own, 'q.1'], true]);
    expect(await seen(as(await storeWith({}, ['sum', 'q.1', 'r.2'])), 'r.0', 'q')).toEqual([['q.1'], true]);
  });

  it('gets nothing of a run whose input is not in the session yet', async () => {
    const { firstMessage: _first, ...run } = { ...runRecord('r', 'running'), firstMessage: '' };
    const store = memoryStore();
    const input = { ...run, position: { at: 'input', input: [] } } as RunRecord;
    await store.commit('s', 0, { append: messages(...old), run: input });
    expect(await seen(as(store))).toEqual([[], false]);
  });

  it('gets nothing where there is no session', async () => {
    expect(await readNew(as(memoryStore()), 's', undefined, undefined)).toBeUndefined();
  });
});

it('messages of another revision than the head are not mixed with it', async () => {
  const store = await storeWith();
  const load = vi.spyOn(store, 'load');
  expect(await seen(store, 'r.1')).toEqual([['r.2', 'r.3'], false]);
  expect(load).not.toHaveBeenCalled();
  const later: Store = { ...store, messagesFrom: async () => ({ revision: 2, messages: [] }) };
  expect(await seen(later, 'r.1')).toEqual([['r.2', 'r.3'], false]);
  expect(load).toHaveBeenCalledTimes(1);
});
