import { expect, test } from 'vitest';

import { scriptedModel } from '../../../testing/src/index.ts';
import type { Message } from '../contract/messages.ts';
import type { Store } from '../contract/store.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { followRun } from './follow-run.ts';
import { stopRun } from './stop-run.ts';
import { submitRun } from './submit-run.ts';

/** A store that counts the messages that are read from it. */
function countingStore(): { readonly store: Store; read: () => number } {
  const { load, messagesFrom, ...rest } = memoryStore();
  let count = 0;
  const store: Store = {
    ...rest,
    async load(sessionId) {
      const record = await load(sessionId);
      count += record?.messages.length ?? 0;
      return record;
    },
    async messagesFrom(sessionId, messageId) {
      const found = await messagesFrom?.(sessionId, messageId);
      count += found?.messages.length ?? 0;
      return found;
    },
  };
  return { store, read: () => count };
}

function history(length: number): Message[] {
  return Array.from({ length }, (_, index) => ({
    id: `m${index}`,
    role: 'user',
    content: [{ type: 'text', text: `Message ${index}` }],
  }));
}

/** Submits a run in a session of so many messages, follows it, and stops another. Returns how many messages that reads beside the worker. */
async function readWith(length: number): Promise<number> {
  const { store, read } = countingStore();
  const agent = await createAgent({
    name: 'test',
    model: scriptedModel([{ text: 'Hi' }]),
    store,
    sessionCacheBytes: 0,
  });
  await store.commit('s', 0, { append: history(length) });
  const { revision = 0 } = (await store.head?.('s')) ?? {};
  // A session whose last run has ended.
  const { run } = (await ended()) ?? {};
  await store.commit('s', revision, run === undefined ? {} : { run });
  const before = read();
  await submitRun(store, 's', 'Hello', { agent: 'test' });
  const submitted = read() - before;
  // The worker itself reads the session once, to continue it.
  await agent.resume('s');
  const beforeFollowing = read();
  for await (const event of followRun(store, 's', { intervalMs: 1 })) if (event.type === 'run-end') break;
  await submitRun(store, 's', 'Again', { agent: 'test' });
  await stopRun(store, 's');
  await agent.close();
  return submitted + read() - beforeFollowing;
}

async function ended(): ReturnType<Store['load']> {
  const store = memoryStore();
  await using agent = await createAgent({ name: 'test', model: scriptedModel([{ text: 'Hi' }]), store });
  await agent.run('Hello', { sessionId: 'ended' });
  return await store.load('ended');
}

test('submitting, following and stopping read as much of a long session as of a short one', async () => {
  expect(await readWith(2000)).toBe(await readWith(10));
});
