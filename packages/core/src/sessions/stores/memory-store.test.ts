import { describe, expect, it } from 'vitest';

import { message } from '../../../../testing/src/store/store-samples.ts';
import { testStore } from '../../../../testing/src/store/test-store.ts';
import type { Message } from '../../contract/messages.ts';
import { findInMemory, memoryStore } from './memory-store.ts';

await testStore(() => ({ store: memoryStore() }));

const call: Message = Object.freeze({
  role: 'assistant',
  id: 'm',
  content: Object.freeze([{ type: 'tool-call' as const, id: 'c', name: 'look', input: {} }]),
});

describe('a session of a memory store', () => {
  it('is found as it is, without a copy of its messages', async () => {
    const store = memoryStore();
    await store.commit('s', 0, { append: [message('a'), call], journal: { k: { type: 'once', value: 1 } } });
    const found = findInMemory(store, 's');
    const { revision, messages, journal, state } = (await store.load('s')) ?? {};
    expect(found).toMatchObject({ id: 's', revision });
    expect(found?.content.toRecord()).toMatchObject({ journal, state });
    expect(found?.content.log.view).toEqual(messages);
    expect(found?.content.log.hasCall('c')).toBe(true);

    await store.commit('s', 1, { append: [message('b')], replace: [{ from: 0, to: 2, messages: [] }] });
    expect(found?.content.log.view.map(({ id }) => id)).toEqual(['a', 'm']);
    const { log } = findInMemory(store, 's')?.content ?? {};
    expect(log?.view.map(({ id }) => id)).toEqual(['b']);
    expect(log?.hasCall('c')).toBe(true);
  });

  it('is loaded when somebody else has a part in that', async () => {
    const store = memoryStore();
    await store.commit('s', 0, { append: [message('a')] });
    expect(findInMemory({ ...store }, 's')).toBeUndefined();
    store.load = () => Promise.reject(new Error('down'));
    expect(findInMemory(store, 's')).toBeUndefined();
    expect(findInMemory(memoryStore(), 's')).toBeUndefined();
  });
});
