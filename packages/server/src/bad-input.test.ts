import { createAgent, memoryStore, ShallotError } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import { scriptedModel } from '@shallot/testing';
import { expect, onTestFinished, test } from 'vitest';

import { createServer, type AgentServer } from './create-server.ts';

async function serve(store: Store = memoryStore()): Promise<{ server: AgentServer; errors: unknown[] }> {
  const agent = await createAgent({ name: 'shop', model: scriptedModel([]), store });
  const errors: unknown[] = [];
  const limits = { bodyBytes: 2000, requestsPerMinute: 200 };
  const server = createServer({ agent, store }, { limits, onError: (error) => errors.push(error) });
  onTestFinished(async () => {
    await server.close();
    await agent.close();
  });
  await store.commit('a', 0, { about: { title: 'T' } });
  return { server, errors };
}

const json = { 'content-type': 'application/json' };
const post = (
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = json,
): RequestInit => ({
  method: 'POST',
  body,
  headers,
});

const wrong: readonly [what: string, path: string, init: RequestInit, status: number, code: string][] = [
  ['no route', '/nothing', {}, 404, 'server/NOT_FOUND'],
  ['a method that a path does not have', '/sessions/a', { method: 'PUT' }, 404, 'server/NOT_FOUND'],
  ['no JSON', '/sessions', post('{'), 400, 'server/REQUEST_INVALID'],
  ['a body that is no object', '/sessions', post('[]'), 400, 'server/REQUEST_INVALID'],
  ['bytes that are no text', '/sessions', post(new Uint8Array([0xff, 0xfe])), 400, 'server/REQUEST_INVALID'],
  [
    'a form',
    '/sessions',
    post('a=b', { 'content-type': 'application/x-www-form-urlencoded' }),
    415,
    'server/CONTENT_TYPE',
  ],
  ['plain text', '/sessions', post('{}', { 'content-type': 'text/plain' }), 415, 'server/CONTENT_TYPE'],
  [
    'a huge body',
    '/sessions',
    post(JSON.stringify({ input: 'x'.repeat(3000) })),
    413,
    'server/BODY_TOO_LARGE',
  ],
  ['a chat without messages', '/chat', post('{"id":"b","messages":[]}'), 400, 'server/REQUEST_INVALID'],
  [
    'a message of the system in a chat',
    '/chat',
    post('{"id":"b","messages":[{"id":"m","role":"system","parts":[]}]}'),
    400,
    'server/REQUEST_INVALID',
  ],
  [
    'a part that no message of the user has',
    '/chat',
    post('{"id":"b","messages":[{"id":"m","role":"user","parts":[{"type":"tool-x"}]}]}'),
    400,
    'server/REQUEST_INVALID',
  ],
  [
    'a file of a chat at an address of elsewhere',
    '/chat',
    post(
      '{"id":"b","messages":[{"id":"m","role":"user","parts":[{"type":"file","mediaType":"image/png","url":"file:///x"}]}]}',
    ),
    400,
    'server/REQUEST_INVALID',
  ],
  [
    'an id of a new chat with a slash',
    '/chat',
    post('{"id":"b/c","messages":[{"id":"m","role":"user","parts":[{"type":"text","text":"Hi"}]}]}'),
    400,
    'server/REQUEST_INVALID',
  ],
  [
    'an answer in a chat that is not there',
    '/chat',
    post('{"id":"b","messages":[{"id":"m","role":"assistant","parts":[]}]}'),
    409,
    'server/HISTORY_DIFFERS',
  ],
  ['a chat that is not there', '/chat/b/stream', {}, 404, 'SESSION_NOT_FOUND'],
  ['a wrong option', '/sessions', post('{"inptu":"Hi"}'), 400, 'server/REQUEST_INVALID'],
  ['metadata', '/sessions', post('{"input":"Hi","metadata":{}}'), 400, 'server/REQUEST_INVALID'],
  [
    'a message of another role',
    '/sessions/a/runs',
    post('{"input":[{"role":"system","content":"x"}]}'),
    400,
    'server/REQUEST_INVALID',
  ],
  ['a blank input', '/sessions/a/runs', post('{"input":" "}'), 400, 'server/REQUEST_INVALID'],
  ['an id with a slash', '/sessions', post('{"id":"a/b"}'), 400, 'server/REQUEST_INVALID'],
  ['an id with a control character', '/sessions', post('{"id":"a\\u0000b"}'), 400, 'server/REQUEST_INVALID'],
  [
    "an id of the server's form",
    '/sessions',
    post(`{"id":"s-${'0'.repeat(32)}"}`),
    400,
    'server/REQUEST_INVALID',
  ],
  ['an id that is taken', '/sessions', post('{"id":"a"}'), 409, 'server/SESSION_EXISTS'],
  [
    'an id that is taken, with a key and an input',
    '/sessions',
    post('{"id":"a","input":"Hi"}', { ...json, 'idempotency-key': 'k' }),
    409,
    'server/SESSION_EXISTS',
  ],
  ['an id that is the segment of a path', '/sessions', post('{"id":".."}'), 400, 'server/REQUEST_INVALID'],
  [
    'a title with a control character',
    '/sessions',
    post('{"title":"a\\u0000b"}'),
    400,
    'server/REQUEST_INVALID',
  ],
  ['an encoded id that is not there', '/sessions/%00%2Fb', {}, 404, 'SESSION_NOT_FOUND'],
  ['a broken percent code', '/sessions/%zz', {}, 404, 'SESSION_NOT_FOUND'],
  ['an unknown session', '/sessions/b/runs', post('{"input":"Hi"}'), 404, 'SESSION_NOT_FOUND'],
  ['an unknown question', '/sessions/a/interrupts/x', post('{"answer":1}'), 404, 'SESSION_NOT_FOUND'],
  ['no answer', '/sessions/a/interrupts/x', post('{}'), 400, 'server/REQUEST_INVALID'],
  ['a message to no run', '/sessions/a/messages', post('{"message":"Hi"}'), 404, 'SESSION_NOT_FOUND'],
  ['a resume of no run', '/sessions/a/resume', post('{}'), 409, 'SESSION_NOT_RESUMABLE'],
  ['a limit that is no number', '/sessions?limit=x', {}, 400, 'server/REQUEST_INVALID'],
  ['a limit out of range', '/sessions?limit=1000', {}, 400, 'server/REQUEST_INVALID'],
  ['a status that is none', '/sessions?status=done', {}, 400, 'server/REQUEST_INVALID'],
  ['a cursor that is none', '/sessions?after=x', {}, 400, 'server/REQUEST_INVALID'],
  ['a message that is not there', '/sessions/a/messages?after=x', {}, 400, 'server/REQUEST_INVALID'],
  [
    'a blank key',
    '/sessions',
    post('{"input":"Hi"}', { ...json, 'idempotency-key': ' ' }),
    400,
    'server/REQUEST_INVALID',
  ],
];

test.each(wrong)('%s', async (_, path, init, status, code) => {
  const { server, errors } = await serve();
  const response = await server.fetch(new Request(`http://localhost${path}`, init));
  expect([response.status, await response.json()]).toMatchObject([status, { status, code }]);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(errors).toEqual([]);
});

test('a store that is down is 503, and nothing of its error is told', async () => {
  const store: Store = { ...memoryStore() };
  const { server, errors } = await serve(store);
  const secret = new ShallotError('STORE_FAILED', { message: 'no postgres://user:secret@host' });
  store.head = async () => Promise.reject(secret);
  const response = await server.fetch(new Request('http://localhost/sessions/a'));
  expect(response.status).toBe(503);
  const text = await response.text();
  expect(text).toMatch(/"code":"STORE_FAILED"/);
  expect(text).not.toMatch(/secret/);
  expect(errors).toHaveLength(1);
});

test('requests above the limit of a minute are refused', async () => {
  const { server } = await serve();
  const statuses = new Set<number>();
  for (let count = 0; count < 450; count += 1)
    statuses.add((await server.fetch(new Request('http://localhost/sessions'))).status);
  expect([...statuses]).toEqual([200, 429]);
});

test('options that are wrong are all named', () => {
  const wrongOptions = { auth: { tokens: ['short'] }, concurency: 2 };
  const create = (): unknown => createServer(undefined, wrongOptions);
  let error: unknown;
  try {
    create();
  } catch (thrown) {
    error = thrown;
  }
  expect((error as ShallotError).code).toBe('OPTION_INVALID');
  expect((error as ShallotError).message).toMatch(/concurrency.*\n.*auth/);
  expect((error as ShallotError).message).not.toMatch(/short/);
});
