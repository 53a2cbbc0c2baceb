import { describe, expect, it } from 'vitest';

import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import type { Agent } from '../../agent.ts';
import { isClaimLive, newClaim } from '../../base/claim.ts';
import { ShallotError } from '../../base/errors.ts';
import { textOf } from '../../contract/messages.ts';
import type { Store } from '../../contract/store.ts';
import { createAgent } from '../../create-agent.ts';
import { memoryStore } from '../stores/memory-store.ts';

/** A store whose disk is full from the n-th commit on, until there is room again. */
function storeThatFills(fullAt: number): { readonly store: Store; readonly makeRoom: () => void } {
  const store = memoryStore();
  let commits = 0;
  let hasRoom = false;
  return {
    makeRoom: () => (hasRoom = true),
    store: {
      ...store,
      async commit(sessionId, revision, change) {
        commits += 1;
        if (!hasRoom && commits >= fullAt)
          throw new ShallotError('STORE_FAILED', { message: 'the disk is full' });
        return store.commit(sessionId, revision, change);
      },
    },
  };
}

function agentOn(store: Store): Promise<Agent> {
  return createAgent({
    model: scriptedModel([{ text: 'one' }, { text: 'two' }]),
    store,
    log: 'silent',
  });
}

describe('a run whose end the store could not take', () => {
  it.each(['the same agent', 'another agent'])('is taken up at once by %s of its process', async (by) => {
    const { store, makeRoom } = storeThatFills(2);
    const agent = await agentOn(store);
    await expect(agent.run('hello', { sessionId: 's' })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    const left = await store.load('s');
    expect(left).toMatchObject({ run: { status: 'running' }, claim: { pid: process.pid } });
    makeRoom();
    const next = by === 'the same agent' ? agent : await agentOn(store);
    expect(await next.resume('s')).toMatchObject({ outcome: 'completed' });
    const record = await store.load('s');
    expect(record?.messages.map((message) => message.role)).toEqual(['user', 'assistant']);
    expect(record?.claim).toBeUndefined();
  });

  it('is given up at once for a new one', async () => {
    const { store, makeRoom } = storeThatFills(2);
    const agent = await agentOn(store);
    await expect(agent.run('hello', { sessionId: 's' })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    makeRoom();
    await agent.run('again', { sessionId: 's', abandon: true });
    expect((await store.load('s'))?.messages.map(textOf).slice(0, 2)).toEqual(['hello', 'again']);
  });
});

it('a claim that was stored although its commit failed does not keep the process out', async () => {
  const store = memoryStore();
  let hasFailed = false;
  const failsLate: Store = {
    ...store,
    async commit(sessionId, revision, change) {
      const next = await store.commit(sessionId, revision, change);
      if (hasFailed) return next;
      hasFailed = true;
      throw new ShallotError('STORE_FAILED', { message: 'the disk failed after it had written' });
    },
  };
  const agent = await agentOn(failsLate);
  await expect(agent.run('hello', { sessionId: 's' })).rejects.toMatchObject({ code: 'STORE_FAILED' });
  expect((await store.load('s'))?.claim?.pid).toBe(process.pid);
  expect(await agent.resume('s')).toMatchObject({ outcome: 'completed' });
});

it('a claim of another run of the process stays live', async () => {
  const { store } = storeThatFills(2);
  const agent = await agentOn(store);
  await expect(agent.run('hello', { sessionId: 's' })).rejects.toMatchObject({ code: 'STORE_FAILED' });
  const ended = (await store.load('s'))?.claim;
  expect(ended && isClaimLive(ended)).toBe(false);
  expect(isClaimLive(newClaim('another', 60_000))).toBe(true);
});
