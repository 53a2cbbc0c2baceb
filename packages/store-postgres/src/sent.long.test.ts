import { setTimeout as sleep } from 'node:timers/promises';

import { createAgent, defineTool, textOf } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { sendMessage, submitRun } from '@shallot/core/work';
import { afterAll, expect, test, vi } from 'vitest';

import { walkSent } from '../../core/test/programs/sent-walk.ts';
import { openStore } from '../test/open-store.ts';
import { startPostgres } from '../test/postgres-server.ts';

vi.setConfig({ testTimeout: 10 * 60_000 });

const server = await startPostgres(18);
afterAll(() => server.stop());

test('100 walks lose and repeat no message', async () => {
  const store = openStore({ url: await server.newDatabase() });
  let taken = 0;
  for (let seed = 3000; seed < 3100; seed += 1) {
    taken += (await walkSent(seed, store)).taken;
    await store.delete('s');
  }
  expect(taken).toBeGreaterThan(1000);
});

test('two workers take what was sent a step before the end, each message once', async () => {
  const url = await server.newDatabase();
  const elsewhere = openStore({ url });
  const runs = Array.from({ length: 100 }, (_, number) => `s${number}`);
  /** The sessions whose second model call has the message. */
  const inTime: string[] = [];
  const work = defineTool({
    name: 'work',
    description: 'Works while a message comes.',
    input: { type: 'object' },
    effect: 'read',
    execute: async (_, { run }) => {
      await sendMessage(elsewhere, run.sessionId, `for ${run.sessionId}`);
      await sleep(300);
      return 'worked';
    },
  });
  const stop = new AbortController();
  const workers = ['one', 'two'].map(async () => {
    const agent = await createAgent({
      name: 'a',
      model: model(inTime),
      tools: [work],
      store: openStore({ url }),
      log: 'silent',
    });
    await agent.work({ signal: stop.signal, intervalMs: 200, concurrency: 4 });
    await agent.close();
  });
  for (const sessionId of runs) await submitRun(elsewhere, sessionId, 'Go', { agent: 'a' });
  for (const sessionId of runs)
    await expect
      .poll(async () => (await elsewhere.head?.(sessionId))?.run?.status, { timeout: 120_000 })
      .toBe('completed');
  stop.abort();
  await Promise.all(workers);
  for (const sessionId of runs) {
    const { messages = [] } = (await elsewhere.load(sessionId)) ?? {};
    expect(messages.filter((message) => textOf(message) === `for ${sessionId}`)).toHaveLength(1);
  }
  process.stderr.write(`${inTime.length} of ${runs.length} messages were taken in time\n`);
  expect(inTime.length).toBeGreaterThanOrEqual(95);
});

/** A model that asks for a call, then answers. */
function model(inTime: string[]): ChatModel {
  return {
    id: 'two-steps/1',
    async generate({ messages }) {
      const [first, ...later] = messages;
      if (first !== undefined && later.length === 0) {
        const call = { type: 'tool-call', id: 'call', name: 'work', input: {} } as const;
        return { message: { role: 'assistant', content: [call] }, finish: 'tool-calls' };
      }
      const sent = later.find(({ role }) => role === 'user');
      if (sent !== undefined) inTime.push(textOf(sent));
      return { message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }, finish: 'stop' };
    },
  };
}
