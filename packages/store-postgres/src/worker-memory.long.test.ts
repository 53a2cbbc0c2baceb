import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { createAgent } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { submitRun } from '@shallot/core/work';
import { afterAll, expect, test, vi } from 'vitest';

import { startPostgres } from '../test/postgres-server.ts';
import { postgresStore } from './index.ts';
import { graphileQueue } from './queue/index.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const server = await startPostgres(18);
afterAll(() => server.stop());

const model: ChatModel = {
  id: 'test/short',
  generate: async () => ({
    message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
    finish: 'stop',
  }),
};

test('the memory of a worker does not grow with its runs', async () => {
  const url = await server.newDatabase();
  const store = postgresStore({ url, queue: true });
  const queue = graphileQueue({ url });
  const agent = await createAgent({ name: 'test', model, store, log: 'silent' });
  const stopping = new AbortController();
  const ended = new Map<string, () => void>();
  const working = agent.work({
    queue,
    signal: stopping.signal,
    onEvent: (sessionId, { type }) => {
      if (type !== 'run-end') return;
      ended.get(sessionId)?.();
      ended.delete(sessionId);
    },
  });
  let runs = 0;
  const runTo = async (last: number): Promise<number> => {
    const runOn = async (): Promise<void> => {
      while (runs < last) {
        const sessionId = `s${(runs += 1)}`;
        const { promise: end, resolve } = Promise.withResolvers<void>();
        ended.set(sessionId, resolve);
        await submitRun(store, sessionId, 'Hello', { agent: 'test' });
        await end;
        // Sessions that were used last are kept in memory, up to a limit: that is no leak.
        // The worker lets go of a session a moment after the end of its run.
        await vi.waitFor(() => agent.deleteSession(sessionId), { interval: 1 });
      }
    };
    await Promise.all(Array.from({ length: 8 }, runOn));
    for (let pass = 0; pass < 3; pass += 1) collect();
    return process.memoryUsage().heapUsed;
  };
  const early = await runTo(2000);
  const late = await runTo(10_000);
  stopping.abort();
  await working;
  await agent.close();
  await queue.close();
  await store.close();
  expect(ended.size).toBe(0);
  // A hundred bytes that each run leaves would come to 800,000, and a session that is kept to twenty times as much.
  expect(late - early).toBeLessThan(4_000_000);
});
