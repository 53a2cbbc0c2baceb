import { expect, test } from 'vitest';

import { memoryStore } from '../sessions/stores/memory-store.ts';
import { followRun } from './follow-run.ts';
import { submitRun } from './submit-run.ts';

test('a follower whose last message was replaced gets reload, then the run from its beginning', async () => {
  const store = memoryStore();
  const id = await submitRun(store, 's', 'Hi', {});
  const { run } = (await store.load('s')) ?? {};
  if (run === undefined) throw new Error('there is no run');
  const message = { id: `${id}.1`, role: 'user', content: [{ type: 'text', text: 'Hi' }] } as const;
  const ended = { ...run, status: 'completed', position: { at: 'end' }, firstMessage: message.id } as const;
  await store.commit('s', 1, { append: [message], run: ended });
  const types: string[] = [];
  for await (const event of followRun(store, 's', { after: `${id}.9` })) types.push(event.type);
  expect(types).toEqual(['reload', 'message', 'run-end']);
});
