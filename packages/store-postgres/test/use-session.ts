import { createAgent, defineTool, type Message } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import type { Queue, Store } from '@shallot/core/store';
import { answerInterrupts, followRun, pendingInterrupts, stopRun, submitRun } from '@shallot/core/work';

import { newClaimFor } from './run-record.ts';

/** The uses that programs make of a session that another process works on. */
export const uses = ['submit', 'follow', 'wake', 'answer', 'stop'] as const;

export type Use = (typeof uses)[number];

/** Creates a session with `messages` messages whose last run has ended. */
export async function createSession(store: Store, sessionId: string, messages: number): Promise<void> {
  const history = Array.from({ length: messages }, (_, index): Message => ({
    id: `m${index}`,
    role: 'user',
    content: [{ type: 'text', text: `Message ${index} of a conversation.` }],
  }));
  await store.commit(sessionId, 0, { append: history });
  const agent = await newAgent(store);
  await agent.run('Hello', { sessionId });
  await agent.close();
}

/**
 * Uses a session in each way, and passes each use to `measured`. What other processes do in between goes through the
 * store `aside`.
 */
export async function useSession(
  { store, aside }: { readonly store: Store; readonly aside: Store },
  sessionId: string,
  measured: (use: Use, work: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const agent = await newAgent(aside);
  await measured('submit', () => submitRun(store, sessionId, 'Ask', { agent: 'test' }));
  await agent.resume(sessionId);
  await measured('follow', async () => {
    for await (const event of followRun(store, sessionId)) if (event.type === 'run-end') return;
  });
  await claimElsewhere(aside, sessionId);
  // The worker's other operations go through `aside`, so that only its reads of this session are measured.
  const worker = await startWoken({
    ...aside,
    head: async (id) => store.head?.(id),
    load: (id) => store.load(id),
  });
  await measured('wake', () => worker.wake(sessionId));
  await worker.stop();
  await aside.commit(sessionId, (await aside.head?.(sessionId))?.revision ?? 0, { claim: null });
  const [asked] = await pendingInterrupts(aside, sessionId);
  await measured('answer', () => answerInterrupts(store, sessionId, { [asked?.id ?? '']: 'yes' }));
  await measured('stop', () => stopRun(store, sessionId));
  await agent.close();
}

async function claimElsewhere(aside: Store, sessionId: string): Promise<void> {
  const { revision = 0 } = (await aside.head?.(sessionId)) ?? {};
  await aside.commit(sessionId, revision, { claim: newClaimFor('elsewhere', 60_000) });
}

/**
 * Starts a worker that only looks at sessions named by its queue. `wake` fails unless the worker asks to be woken
 * again, because another process has the session.
 */
async function startWoken(
  store: Store,
): Promise<{ wake(sessionId: string): Promise<void>; stop(): Promise<void> }> {
  const listening = Promise.withResolvers<(sessionId: string) => Promise<unknown>>();
  const queue: Queue = {
    wake: () => Promise.reject(new Error('The worker has taken the session.')),
    async listen(handler) {
      listening.resolve(handler);
      return async () => undefined;
    },
  };
  const agent = await newAgent(store);
  const stopping = new AbortController();
  const working = agent.work({ queue, intervalMs: 60_000, signal: stopping.signal });
  const handler = await listening.promise;
  return {
    async wake(sessionId) {
      if ((await handler(sessionId)) === undefined) throw new Error('The worker has taken the session.');
    },
    async stop() {
      stopping.abort();
      await working;
      await agent.close();
    },
  };
}

function newAgent(store: Store): ReturnType<typeof createAgent> {
  return createAgent({
    name: 'test',
    model,
    store,
    log: 'silent',
    sessionCacheBytes: 0,
    tools: [ask],
  });
}

const ask = defineTool({
  name: 'ask',
  description: 'Asks.',
  input: { type: 'object' },
  execute: (_, { interrupt }) =>
    interrupt({ kind: 'question', payload: 'Sure?', answer: { type: 'string' } }),
});

/** A model that calls the tool if the message contains "Ask". */
const model: ChatModel = {
  id: 'test/asking',
  async generate({ messages }) {
    const isTold = JSON.stringify(messages.at(-1)?.content).includes('Ask');
    return isTold
      ? {
          message: { role: 'assistant', content: [{ type: 'tool-call', id: 'ask', name: 'ask', input: {} }] },
          finish: 'tool-calls',
        }
      : { message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }, finish: 'stop' };
  },
};
