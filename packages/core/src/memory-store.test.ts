import { expect, test } from 'vitest';

import { memoryStore } from './memory-store.ts';
import { messages } from './testing/store-samples.ts';
import { testStore } from './testing/test-store.ts';

await testStore(() => ({ store: memoryStore() }));

test('records share one view of the messages until these change', async () => {
  const store = memoryStore();
  await store.commit('s', 0, { append: messages('a', 'b') });
  const first = await store.load('s');
  await store.commit('s', 1, { journal: { k: { type: 'once', value: 1 } } });
  const second = await store.load('s');
  expect(second?.messages).toBe(first?.messages);
  await store.commit('s', 2, { append: messages('c') });
  expect((await store.load('s'))?.messages).not.toBe(first?.messages);
});
