import { expect, it } from 'vitest';

import { scriptedModel } from '../../testing/src/scripted-model.ts';
import { modelError } from './contract/model-error.ts';
import { createAgent } from './create-agent.ts';
import { memoryStore } from './sessions/stores/memory-store.ts';
import { viewSession } from './view-session.ts';

const usage = { input: 3, output: 1, total: 4 };

it('a session that does not exist has no view', async () => {
  expect(await viewSession(memoryStore(), 's')).toBeUndefined();
});

it('a session without a run has used nothing, and cannot be resumed', async () => {
  const store = memoryStore();
  await store.commit('s', 0, { state: { notes: { list: { version: 1, value: ['tea'] } } } });
  expect(await viewSession(store, 's')).toStrictEqual({
    id: 's',
    messages: [],
    interrupts: [],
    state: { notes: { list: { version: 1, value: ['tea'] } } },
    usage: { input: 0, output: 0, total: 0, modelCalls: 0 },
    status: undefined,
    resumable: false,
  });
});

it('a session has used what all of its runs did, and can be resumed unless its last run is complete', async () => {
  const store = memoryStore();
  const failing = { error: modelError('MODEL_AUTH', { message: 'No key.' }) };
  const model = scriptedModel([{ text: 'One.', usage }, { text: 'Two.', usage }, failing]);
  await using agent = await createAgent({ model, store, log: 'silent' });
  await agent.run('1', { sessionId: 's' });
  await agent.run('2', { sessionId: 's' });
  expect(await agent.session('s')).toMatchObject({
    messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'user' }, { role: 'assistant' }],
    usage: { input: 6, output: 2, total: 8, modelCalls: 2 },
    status: 'completed',
    resumable: false,
  });
  await expect(agent.run('3', { sessionId: 's' })).rejects.toMatchObject({ code: 'MODEL_AUTH' });
  expect(await agent.session('s')).toMatchObject({ status: 'failed', resumable: true });
});
