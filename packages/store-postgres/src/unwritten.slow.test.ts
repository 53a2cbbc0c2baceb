import { createAgent, defineTool } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { Client } from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';

import { openStore } from '../test/open-store.ts';
import { startPostgres } from '../test/postgres-server.ts';

const server = await startPostgres(18);
afterAll(() => server.stop());

const steps = 10;
const step = defineTool({
  name: 'step',
  description: 'Takes a step.',
  input: { type: 'object' },
  effect: 'read',
  execute: () => 'done',
});

/** Counts the queries of a run to which nobody writes, over connections that are open. */
async function queriesOf(hasInbox: boolean): Promise<number> {
  const store = openStore({ url: await server.newDatabase(), listen: false });
  if (!hasInbox)
    for (const member of ['send', 'inbox', 'unsend', 'watchInbox']) Reflect.deleteProperty(store, member);
  const turns = Array.from({ length: 2 * (steps - 1) }, () => ({ toolCalls: [{ name: 'step' }] }));
  const model = scriptedModel([
    ...turns.slice(0, steps - 1),
    { text: 'Done.' },
    ...turns.slice(steps - 1),
    { text: 'Done.' },
  ]);
  const agent = await createAgent({ name: 'a', model, tools: [step], store, log: 'silent' });
  onTestFinished(() => agent.close());
  await agent.run('Go', { sessionId: 'first' });
  const { query } = Client.prototype;
  let count = 0;
  Client.prototype.query = function counted(this: Client, ...args: unknown[]): unknown {
    count += 1;
    return Reflect.apply(query, this, args);
  } as typeof query;
  try {
    await agent.run('Go', { sessionId: 's' });
  } finally {
    Client.prototype.query = query;
  }
  return count;
}

test('a run to which nobody writes takes no query more: its commits find the inbox empty', async () => {
  const without = await queriesOf(false);
  expect(without).toBeGreaterThan(steps);
  expect((await queriesOf(true)) - without).toBe(0);
});
