import { setTimeout as sleep } from 'node:timers/promises';

import { createAgent, defineTool, type Agent } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import type { Store } from '@shallot/core/store';
import { submitRun, type WorkOptions } from '@shallot/core/work';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';

import { openStore } from '../test/open-store.ts';
import { query, startPostgres } from '../test/postgres-server.ts';
import { startProxy } from '../test/start-proxy.ts';

vi.setConfig({ testTimeout: 60_000 });

const server = await startPostgres(18);
afterAll(() => server.stop());

/** Calls its tool once, then says that it is done. */
const model: ChatModel = {
  id: 'test/looks',
  async generate({ messages }) {
    return messages.some(({ role }) => role === 'tool')
      ? { message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }, finish: 'stop' }
      : {
          message: {
            role: 'assistant',
            content: [{ type: 'tool-call', id: 'c1', name: 'look', input: {} }],
          },
          finish: 'tool-calls',
        };
  },
};

async function startWorker(
  store: Store,
  execute: (sessionId: string) => string | Promise<string>,
  options: WorkOptions & { readonly claimMs?: number } = {},
): Promise<Agent> {
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    effect: 'read',
    input: { type: 'object' },
    execute: (_, { run }) => execute(run.sessionId),
  });
  const { claimMs = 60_000, ...terms } = options;
  const agent = await createAgent({ name: 'test', model, store, log: 'silent', tools: [look], claimMs });
  const stopping = new AbortController();
  const working = agent.work({ intervalMs: 200, stopTimeoutMs: 1, ...terms, signal: stopping.signal });
  onTestFinished(async () => {
    stopping.abort();
    await working;
    await agent.close();
  });
  return agent;
}

test('a run whose worker was cut off goes on elsewhere within one lease and one interval', async () => {
  const url = await server.newDatabase();
  const proxy = await startProxy(url);
  const limits = { queryTimeoutMs: 1000, connectTimeoutMs: 1000 };
  const [cutOff, other] = [openStore({ url: proxy.url, ...limits }), openStore({ url })];
  const [claimMs, intervalMs] = [3000, 1000];
  const { promise: isSilent, resolve: silenced } = Promise.withResolvers<void>();
  const never = Promise.withResolvers<string>();
  onTestFinished(() => never.resolve('seen'));
  const cut = (): Promise<string> => {
    proxy.silenceAll();
    silenced();
    return never.promise;
  };
  await startWorker(cutOff, cut, { claimMs, intervalMs });
  await submitRun(other, 's', 'Look', { agent: 'test' });
  await isSilent;
  const [{ at } = { at: 0 }] = await query(url, 'SELECT extract(epoch FROM clock_timestamp())::float8 AS at');

  let takenAt = 0;
  const note = async (): Promise<string> => {
    // By the clock of the database, from which the leases are taken.
    const [row] = await query(
      url,
      'SELECT extract(epoch FROM updated_at)::float8 AS at FROM shallot.sessions',
    );
    takenAt = Number(row?.['at']);
    return 'seen';
  };
  await startWorker(other, note, { claimMs, intervalMs });
  await expect.poll(async () => (await other.load('s'))?.run?.status, { timeout: 30_000 }).toBe('completed');
  // A busy machine may be late by a second.
  expect((takenAt - Number(at)) * 1000).toBeLessThan(claimMs + intervalMs + 1000);
});

test('workers go on over a database that goes back in time under them, and finish each run once', async () => {
  const url = await server.newDatabase();
  const own = url.split('/').at(-1);
  const sessions = Array.from({ length: 12 }, (_, index) => `s${index}`);
  const before = openStore({ url });
  for (const id of sessions) await submitRun(before, id, 'Look', { agent: 'test' });
  await before.close();
  await query(server.url, `CREATE DATABASE ${own}_copy TEMPLATE ${own}`);

  const looked = new Map<string, number>();
  const look = async (sessionId: string): Promise<string> => {
    looked.set(sessionId, (looked.get(sessionId) ?? 0) + 1);
    await sleep(100);
    return 'seen';
  };
  for (const concurrency of [1, 2])
    await startWorker(openStore({ url, retryMs: 15_000 }), look, {
      concurrency,
      claimMs: 1000,
      retryPauseMs: 100,
    });
  await expect.poll(() => looked.size, { timeout: 30_000 }).toBeGreaterThan(5);
  await query(server.url, `DROP DATABASE ${own} WITH (FORCE)`);
  await query(server.url, `CREATE DATABASE ${own} TEMPLATE ${own}_copy`);
  await query(
    url,
    `SELECT setval('shallot.revisions', (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`,
  );

  const after = openStore({ url, retryMs: 15_000 });
  for (const id of sessions) {
    await expect.poll(async () => (await after.load(id))?.run?.status, { timeout: 40_000 }).toBe('completed');
    const roles = (await after.load(id))?.messages.map(({ role }) => role);
    expect({ id, roles }).toEqual({ id, roles: ['user', 'assistant', 'tool', 'assistant'] });
  }
  // The database has forgotten runs that had ended: they are done again.
  expect([...looked.values()].some((times) => times > 1)).toBe(true);
});
