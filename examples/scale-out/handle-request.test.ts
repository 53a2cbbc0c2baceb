import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createAgent, defineTool, memoryStore } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import type { FollowedEvent } from '@shallot/core/work';
import { scriptedModel } from '@shallot/testing';
import { expect, onTestFinished, test } from 'vitest';

import { handleRequest } from './handle-request.ts';
import { readEvents } from './read-events.ts';

async function serve(store: Store): Promise<string> {
  const server = createServer((request, response) => void handleRequest(store, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function startWorker(store: Store): Promise<void> {
  const charge = defineTool({
    name: 'charge',
    description: 'Charges the card.',
    input: { type: 'object' },
    execute: async (_, { interrupt }) =>
      interrupt({ kind: 'question', payload: 'Sure?', answer: { type: 'string' } }),
  });
  const model = scriptedModel([{ toolCalls: [{ name: 'charge', args: {} }] }, { text: 'Charged.' }]);
  const agent = await createAgent({ name: 'shop', model, store, tools: [charge], log: 'silent' });
  const stopping = new AbortController();
  const working = agent.work({ intervalMs: 20, signal: stopping.signal });
  onTestFinished(async () => {
    stopping.abort();
    await working;
    await agent.close();
  });
}

async function send(method: string, url: string, body?: unknown): Promise<[status: number, body: unknown]> {
  const response = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return [response.status, await response.json()];
}

async function eventsOf(url: string, lastEventId?: string): Promise<FollowedEvent[]> {
  const events: FollowedEvent[] = [];
  for await (const event of readEvents(url, lastEventId)) events.push(event);
  return events;
}

test('starts, follows, answers and lists a run, and continues after the last event id', async () => {
  const store = memoryStore();
  const url = await serve(store);
  await startWorker(store);
  const session = `${url}/sessions/ann%2F1`;
  expect(await send('POST', session, { input: 'Charge', metadata: { user: 'ann' } })).toMatchObject([
    202,
    {},
  ]);

  const first = await eventsOf(`${session}/events`);
  expect(first.map(({ type }) => type)).toEqual(['message', 'message', 'interrupt', 'run-end']);
  const [, questions] = (await send('GET', `${session}/questions`)) as [number, { id: string }[]];
  const question = questions[0]?.id ?? '';
  expect(await send('POST', session, { input: 'More' })).toMatchObject([
    409,
    { code: 'SESSION_INTERRUPTED' },
  ]);
  expect(await send('POST', `${session}/answers`, { [question]: 1 })).toMatchObject([
    400,
    { code: 'INTERRUPT_ANSWER' },
  ]);
  expect(await send('POST', `${session}/answers`, { [question]: 'yes' })).toEqual([202, {}]);

  const asked = first.findLast((event) => event.type === 'message');
  const rest = await eventsOf(`${session}/events`, asked?.message.id);
  expect(rest.map(({ type }) => type)).toEqual(['tool-end', 'message', 'run-end']);
  expect(await send('GET', `${url}/sessions?status=completed&prefix=ann/`)).toMatchObject([
    200,
    [{ id: 'ann/1', messages: 4 }],
  ]);
  expect(await send('GET', `${url}/sessions?status=failed`)).toEqual([200, []]);
});

test('stops a run that nobody executes', async () => {
  const url = await serve(memoryStore());
  await send('POST', `${url}/sessions/s`, { input: 'Charge' });
  expect(await send('POST', `${url}/sessions/s/stop`)).toEqual([202, { stopped: true }]);
  expect(await eventsOf(`${url}/sessions/s/events`)).toMatchObject([{ type: 'run-end', outcome: 'aborted' }]);
  expect(await send('POST', `${url}/sessions/s/stop`)).toEqual([202, { stopped: false }]);
});

test.each([
  ['GET', '/elsewhere', undefined, 404],
  ['DELETE', '/sessions/s', undefined, 404],
  ['GET', '/sessions/s/events', undefined, 404],
  ['POST', '/sessions/s/answers', { int_1: 'yes' }, 404],
  ['POST', '/sessions/%ff', {}, 400],
  ['POST', '/sessions/s', 'Charge', 400],
  ['POST', '/sessions/s', { input: 7 }, 400],
  ['POST', '/sessions/s', { input: 'x'.repeat(1_000_001) }, 413],
])('answers %s %s with what is wrong', async (method, path, body, status) => {
  const url = await serve(memoryStore());
  const [answered, problem] = await send(method, `${url}${path}`, body);
  expect(answered).toBe(status);
  expect(problem).toMatchObject({ code: expect.stringMatching(/./) as string });
});
