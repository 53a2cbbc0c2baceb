import { setTimeout as sleep } from 'node:timers/promises';

import { createAgent, defineTool, textOf } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { sendMessage, submitRun } from '@shallot/core/work';
import { afterAll, expect, test, vi } from 'vitest';

import { isThorough } from '../../../scripts/is-thorough.ts';
import { openStore } from '../test/open-store.ts';
import { startPostgres } from '../test/postgres-server.ts';
import { KilledWorkers } from '../test/sent/killed-workers.ts';
import { walkWithWorkers } from '../test/sent/sent-walk.ts';

vi.setConfig({ testTimeout: 10 * 60_000 });

const server = await startPostgres(18);
afterAll(() => server.stop());

const walks = isThorough ? 300 : 80;

test(`${walks} walks with workers that are killed lose and repeat no message`, async () => {
  const url = await server.newDatabase();
  const [store, ...senders] = [openStore({ url }), openStore({ url }), openStore({ url })];
  await store.migrate();
  const workers = new KilledWorkers(url);
  await workers.start(3, 700);
  const seeds = Array.from({ length: walks }, (_, index) => 3000 + index);
  const sum = { taken: 0, refused: 0, unsent: 0 };
  const lane = async (): Promise<void> => {
    for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) {
      const walk = await walkWithWorkers(seed, store, senders);
      sum.taken += walk.taken;
      sum.refused += walk.refused;
      sum.unsent += walk.unsent;
    }
  };
  try {
    await Promise.race([Promise.all(Array.from({ length: 30 }, lane)), workers.crash]);
  } finally {
    await workers.stop();
  }
  process.stderr.write(`${workers.kills} workers killed; messages: ${JSON.stringify(sum)}\n`);
  expect(sum.taken).toBeGreaterThan(5 * walks);
  expect(sum.unsent).toBeGreaterThan(walks / 8);
  expect(workers.kills).toBeGreaterThan(isThorough ? 15 : 3);
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
