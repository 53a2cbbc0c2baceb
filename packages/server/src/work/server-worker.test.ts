import { createAgent, memoryStore, type Agent } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import { submitRun } from '@shallot/core/work';
import { scriptedModel } from '@shallot/testing';
import { expect, onTestFinished, test, vi } from 'vitest';

import { createServer, type AgentServer } from '../create-server.ts';

async function agentOn(store: Store): Promise<Agent> {
  const model = scriptedModel(Array.from({ length: 3 }, () => ({ text: 'Done.' })));
  const agent = await createAgent({ name: 'shop', model, store });
  onTestFinished(() => agent.close());
  return agent;
}

async function serve(store: Store, execute?: 'workers'): Promise<AgentServer> {
  const agent = await agentOn(store);
  const server = createServer({ agent, store }, execute === undefined ? {} : { execute });
  onTestFinished(() => server.close());
  return server;
}

async function post({ fetch }: AgentServer, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(body) };
  expect((await fetch(new Request(`http://localhost${path}`, request))).ok).toBe(true);
}

const statusOf = async (store: Store, id: string): Promise<unknown> => (await store.load(id))?.run?.status;

test('runs that other programs submit for the agent are left to them, until a client resumes one', async () => {
  const store = memoryStore();
  await submitRun(store, 'before', 'Hi', { agent: 'shop', metadata: { server: 'eu-1' } });
  const server = await serve(store);
  await submitRun(store, 'beside', 'Hi', { agent: 'shop' });
  await post(server, '/sessions?wait=30', { id: 'own', input: 'Hi' });
  expect(await statusOf(store, 'own')).toBe('completed');
  for (const id of ['before', 'beside'])
    expect(await store.load(id)).toMatchObject({ run: { status: 'running', position: { at: 'input' } } });
  await post(server, '/sessions/beside/resume?wait=30', {});
  expect(await statusOf(store, 'beside')).toBe('completed');
  expect(await statusOf(store, 'before')).toBe('running');
});

test('a request that waits gets the end of a run that a worker elsewhere executes', async () => {
  const store = memoryStore();
  const stop = new AbortController();
  const working = (await agentOn(store)).work({ intervalMs: 5, signal: stop.signal });
  const server = await serve(store, 'workers');
  await post(server, '/sessions?wait=30', { id: 'a', input: 'Hi' });
  expect(await statusOf(store, 'a')).toBe('completed');
  stop.abort();
  await working;
});

test('runs that an earlier process or another server has left unfinished are taken up', async () => {
  const store = memoryStore();
  await post(await serve(store, 'workers'), '/sessions', { id: 'left', input: 'Hi' });
  expect(await statusOf(store, 'left')).toBe('running');
  await serve(store);
  await vi.waitFor(async () => expect(await statusOf(store, 'left')).toBe('completed'));
});
