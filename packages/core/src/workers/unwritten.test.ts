import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/index.ts';
import { createAgent, defineTool, memoryStore } from '../index.ts';
import { sqliteStore } from '../sqlite/index.ts';
import type { Store } from '../store.ts';

const folder = await mkdtemp(join(tmpdir(), 'shallot-unwritten-'));
afterAll(() => rm(folder, { recursive: true }));

const steps = 10;
const step = defineTool({
  name: 'step',
  description: 'Takes a step.',
  input: { type: 'object' },
  effect: 'read',
  execute: () => 'done',
});

/** Counts the calls of a store's methods during a run to which nobody writes. */
async function callsOf(store: Store): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const [name, method] of Object.entries(store) as [string, unknown][])
    if (typeof method === 'function')
      Object.assign(store, {
        [name]: (...args: unknown[]): unknown => {
          counts[name] = (counts[name] ?? 0) + 1;
          return Reflect.apply(method, store, args);
        },
      });
  const turns = Array.from({ length: steps - 1 }, () => ({ toolCalls: [{ name: 'step' }] }));
  const model = scriptedModel([...turns, { text: 'Done.' }]);
  const agent = await createAgent({ model, tools: [step], store, log: 'silent' });
  await agent.run('Go', { sessionId: 's' });
  await agent.close();
  return counts;
}

it('a run to which nobody writes asks the store once per step for messages, and twice at its end', async () => {
  const plain = sqliteStore(join(folder, 'plain.db'));
  for (const member of ['send', 'inbox', 'unsend', 'watchInbox']) Reflect.deleteProperty(plain, member);
  const without = await callsOf(plain);
  const { inbox, watchInbox, ...others } = await callsOf(sqliteStore(join(folder, 'inbox.db')));
  expect([inbox, watchInbox]).toEqual([steps + 2, 1]);
  expect(others).toEqual(without);
});

it('a memory store whose inbox was replaced is asked by that', async () => {
  const { inbox } = await callsOf(memoryStore());
  expect(inbox).toBe(steps + 2);
});
