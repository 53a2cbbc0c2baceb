import { createAgent, definePlugin } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import { submitRun, type WorkOptions } from '@shallot/core/work';
import { scriptedModel } from '@shallot/testing';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';

import { openStore } from '../test/open-store.ts';
import { startPostgres } from '../test/postgres-server.ts';

const server = await startPostgres(18);
afterAll(() => server.stop());

const patience = { timeout: 60_000, interval: 50 };

/** A store, and how often sessions were loaded, claimed, and claimed in vain. */
function counting(url: string): { readonly store: Store; readonly counts: Record<string, number> } {
  const inner = openStore({ url, retryMs: 5000 });
  const counts = { loaded: 0, claimed: 0, refused: 0 };
  const store: Store = {
    ...inner,
    load: (sessionId) => ((counts.loaded += 1), inner.load(sessionId)),
    async commit(sessionId, revision, change) {
      if (!change.claim) return inner.commit(sessionId, revision, change);
      counts.claimed += 1;
      return inner.commit(sessionId, revision, change).catch((error: unknown) => {
        counts.refused += 1;
        throw error;
      });
    },
  };
  return { store, counts };
}

async function startWorker(store: Store, name: string, terms: WorkOptions = {}): Promise<void> {
  const model = scriptedModel(Array.from({ length: 300 }, () => ({ text: 'done' })));
  const agent = await createAgent({ name, model, store, log: 'silent' });
  const stopping = new AbortController();
  const working = agent.work({ intervalMs: 200, signal: stopping.signal, ...terms });
  onTestFinished(async () => {
    stopping.abort();
    await working;
    await agent.close();
  });
}

async function waiting(store: Store, agent: string): Promise<number> {
  let count = 0;
  for await (const { status } of store.list({ agent })) if (status !== 'completed') count += 1;
  return count;
}

test('six workers that look for work hardly ever try to claim the same session', async () => {
  const url = await server.newDatabase();
  const workers = Array.from({ length: 6 }, () => counting(url));
  const store = openStore({ url });
  const ids = Array.from({ length: 150 }, (_, index) => `s${index}`);
  await Promise.all(ids.map((id) => submitRun(store, id, 'Go', { agent: 'tea' })));
  await Promise.all(workers.map(({ store: own }) => startWorker(own, 'tea')));
  await vi.waitUntil(async () => (await waiting(store, 'tea')) === 0, patience);
  const sum = (what: string): number => workers.reduce((all, { counts }) => all + (counts[what] ?? 0), 0);
  expect(sum('claimed') - sum('refused')).toBe(150);
  expect(sum('refused') / sum('claimed')).toBeLessThanOrEqual(0.05);
});

test('many runs of another agent, or that a worker cannot take, do not stand before fresh ones', async () => {
  const url = await server.newDatabase();
  const { store, counts } = counting(url);
  const asking = definePlugin({
    name: 'asking',
    async beforeModel(_, run) {
      await run.interrupt({ kind: 'question', payload: 'Go?', answer: { type: 'string' } });
    },
  })();
  // Runs that began with a plugin which this worker lacks, and wait for a worker that has it.
  const first = await createAgent({
    name: 'tea',
    model: scriptedModel([]),
    store,
    plugins: [asking],
    log: 'silent',
  });
  const ids = Array.from({ length: 300 }, (_, index) => `left ${index}`);
  for (const sessionId of ids) {
    await first.run('Go', { sessionId });
    const { run, revision = 0 } = (await store.load(sessionId)) ?? {};
    const status = { status: 'running', interrupts: [], submitted: {} } as const;
    await store.commit(sessionId, revision, { run: { ...(run as NonNullable<typeof run>), ...status } });
  }
  await Promise.all(ids.map((_, n) => submitRun(store, `coffee ${n}`, 'Go', { agent: 'coffee' })));
  await submitRun(store, 'fresh', 'Go', { agent: 'tea' });
  counts['loaded'] = 0;
  let loadedBefore: number | undefined;
  const onEvent = (): void => void (loadedBefore ??= counts['loaded']);
  await startWorker(store, 'tea', { concurrency: 4, onEvent });
  const other = openStore({ url });
  await vi.waitUntil(async () => (await other.load('fresh'))?.run?.status === 'completed', patience);
  // Only those that were given to the worker with it and right after it, of 300.
  expect(loadedBefore).toBeLessThanOrEqual(20);
});
