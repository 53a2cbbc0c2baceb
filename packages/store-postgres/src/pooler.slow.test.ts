import { createAgent } from '@shallot/core';
import { followRun, submitRun, type FollowedEvent } from '@shallot/core/work';
import { scriptedModel } from '@shallot/testing';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';

import { startPooled } from '../test/start-pooled.ts';
import { postgresStore, type PostgresStore, type PostgresStoreOptions } from './index.ts';
import { graphileQueue } from './queue/index.ts';

const pooled = await startPooled();
afterAll(() => pooled?.stop());

function open(options: PostgresStoreOptions): PostgresStore {
  const store = postgresStore(options);
  onTestFinished(() => store.close());
  return store;
}

async function work(store: PostgresStore, directUrl?: string): Promise<void> {
  const agent = await createAgent({
    name: 'test',
    model: scriptedModel([{ text: 'Hi' }]),
    store,
    log: 'silent',
  });
  const stopping = new AbortController();
  const queue = directUrl === undefined ? undefined : graphileQueue({ url: directUrl });
  const intervalMs = queue === undefined ? 20 : 60_000;
  const working = agent.work({ intervalMs, signal: stopping.signal, ...(queue && { queue }) });
  onTestFinished(async () => {
    stopping.abort();
    await working;
    await agent.close();
    await queue?.close();
  });
}

async function seen(store: PostgresStore, intervalMs: number): Promise<readonly string[]> {
  const events: FollowedEvent[] = [];
  for await (const event of followRun(store, 's', { intervalMs })) events.push(event);
  return events.map(({ type }) => type);
}

describe.skipIf(pooled === undefined)('behind a transaction pooler', () => {
  test('a worker and a follower poll, if nothing listens', async () => {
    const store = open({ url: pooled?.through(await pooled.server.newDatabase()) ?? '', listen: false });
    await work(store);
    await submitRun(store, 's', 'Hello', { agent: 'test' });
    expect(await seen(store, 20)).toEqual(['message', 'message', 'run-end']);
  });

  test('a worker and a follower are woken, if they listen to the server itself', async () => {
    const directUrl = (await pooled?.server.newDatabase()) ?? '';
    const store = open({ url: pooled?.through(directUrl) ?? '', directUrl, queue: true });
    await work(store, directUrl);
    await submitRun(store, 's', 'Hello', { agent: 'test' });
    // An interval would come too late for the test.
    expect(await seen(store, 60_000)).toEqual(['message', 'message', 'run-end']);
  });
});
