import { expect, test } from 'vitest';

import { memoryStore } from '../index.ts';
import { sendMessage, submitRun } from '../work.ts';

test('a message is refused with what to do: there is no run, it is parked, or it has ended', async () => {
  const store = memoryStore();
  await store.commit('empty', 0, { append: [] });
  await submitRun(store, 's', 'Go');
  const { run, revision = 0 } = (await store.load('s')) ?? {};
  if (run === undefined) throw new Error('Nothing was submitted.');
  const parked = await store.commit('s', revision, { run: { ...run, parked: true } });
  for (const sessionId of ['nowhere', 'empty'])
    await expect(sendMessage(store, sessionId, 'Hi')).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      message: expect.stringContaining(`There is no run in session "${sessionId}"`) as unknown,
    });
  await expect(sendMessage(store, 's', 'Hi')).rejects.toMatchObject({
    code: 'SESSION_NOT_RUNNING',
    message: expect.stringContaining('is parked') as unknown,
  });
  await store.commit('s', parked, { run: { ...run, status: 'completed' } });
  await expect(sendMessage(store, 's', 'Hi')).rejects.toMatchObject({
    code: 'SESSION_NOT_RUNNING',
    message: expect.stringContaining('has ended (completed)') as unknown,
  });
});
