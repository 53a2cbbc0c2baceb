import { memoryStore } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import { expect, expectTypeOf, onTestFinished, test } from 'vitest';

import { agentOf, serve, stepsOf, type Served } from '../test/served-agent.ts';
import { ClientError } from './client-error.ts';
import { createClient, type Client } from './create-client.ts';

async function served(
  script: Parameters<typeof agentOf>[1],
): Promise<Served & { readonly client: Client; readonly store: Store }> {
  const store = memoryStore();
  const server = await serve(await agentOf(store, script), store);
  onTestFinished(() => server.close());
  return { ...server, store, client: createClient({ url: `${server.url}/` }) };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const asking = [{ text: 'I pay.', toolCalls: [{ name: 'pay', args: { euros: 5 } }] }, { text: 'Paid.' }];

test('a run creates its session, and the next one continues it', async () => {
  const { client, store } = await served([{ text: 'Hello' }, { text: 'Bye' }]);
  const first = await client.run('Hi', { sessionId: 'a', title: 'Greeting' });
  expect(first).toMatchObject({ sessionId: 'a', status: 'completed', text: 'Hello', steps: 1 });
  expect(await client.run('And?', { sessionId: 'a' })).toMatchObject({ text: 'Bye' });
  expect((await store.load('a'))?.messages).toHaveLength(4);
  expect(await all(client.sessions({ title: 'Greeting' }))).toMatchObject([{ id: 'a', status: 'completed' }]);
});

test('a stream has the events of the run, and what they add up to', async () => {
  const { client, store } = await served(stepsOf(3));
  const stream = await client.stream('Look');
  const shown: string[] = [];
  for await (const event of stream) if (event.type === 'text-delta') shown.push(stream.state.text);
  expect(shown.at(-1)).toMatch(/^Step 2 looks/);
  expect(stream.state).toMatchObject({ text: '', end: { outcome: 'completed', steps: 3 } });
  expect(stream.state.messages).toEqual((await store.load(stream.sessionId))?.messages);
  // It is over.
  expect(await all(stream)).toEqual([]);
});

test('a question is listed, answered, and the run followed to its end', async () => {
  const { client } = await served(asking);
  const asked = await client.stream('Buy it', { sessionId: 'a' });
  await all(asked);
  expect(asked.state.end?.outcome).toBe('interrupted');
  const open = await all(client.interrupts());
  expect(open).toMatchObject([{ sessionId: 'a', kind: 'approval', payload: { euros: 5 } }]);
  expect(open.map(({ id }) => id)).toEqual(asked.state.interrupts.map(({ id }) => id));
  expect(await all(client.interrupts({ sessionId: 'a' }))).toEqual(open);

  const id = open[0]?.id ?? '';
  await expect(client.answer('a', id, { decision: 'maybe' })).rejects.toMatchObject({
    name: 'ClientError',
    code: 'INTERRUPT_ANSWER',
    status: 422,
  });
  expect(await client.answer('a', id, { decision: 'approve' })).toMatchObject({ isOpen: true });
  const rest = await client.follow('a', { place: asked.place });
  const types = rest === undefined ? [] : (await all(rest)).map(({ type }) => type);
  expect(types.filter((type) => type === 'tool-end' || type === 'message')).toEqual(['tool-end', 'message']);
  expect(rest?.state).toMatchObject({ interrupts: [], end: { outcome: 'completed' } });
  await expect(client.answer('a', id, { decision: 'approve' })).rejects.toMatchObject({ status: 404 });
});

test('a message reaches a run in progress, and a stop ends it', async () => {
  const { client, store } = await served(stepsOf(400));
  const stream = await client.stream('Look', { sessionId: 'a' });
  const id = await client.send('a', 'And behind the door');
  expect(await client.send('a', 'And behind the door', { id })).toBe(id);
  let isStopped: boolean | undefined;
  for await (const event of stream)
    if (event.type === 'message' && event.message.id === id) isStopped = await client.stop('a');
  expect(isStopped).toBe(true);
  expect(stream.state.end).toMatchObject({ outcome: 'aborted' });
  expect(stream.state.messages).toEqual((await store.load('a'))?.messages);
  expect(await client.stop('a')).toBe(false);
});

test('a session without a run has nothing to follow', async () => {
  const { client } = await served([]);
  const { id } = await client.call('POST /sessions', { body: {} });
  expect(await client.follow(id)).toBeUndefined();
  expect(await client.call('DELETE /sessions/{id}', { params: { id } })).toBeUndefined();
  await expect(client.follow(id)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
});

test('a run after which another one has begun ends without an outcome', async () => {
  const { client } = await served([{ text: 'One' }, { text: 'Two' }]);
  const first = await client.stream('First', { sessionId: 'a' });
  for await (const _ of (await client.follow('a')) ?? []) continue;
  await client.run('Second', { sessionId: 'a' });
  await all(first);
  expect(first.state.end).toEqual({ type: 'run-end', runId: first.runId });
});

test('an abort ends the reading, and not the run', async () => {
  const { client } = await served(stepsOf(20));
  const leaving = new AbortController();
  const stream = await client.stream('Look', { sessionId: 'a', signal: leaving.signal });
  const reason = new Error('I leave');
  const read = async (): Promise<void> => {
    for await (const _ of stream) leaving.abort(reason);
  };
  await expect(read()).rejects.toBe(reason);
  const rest = await client.follow('a', { place: stream.place });
  if (rest !== undefined) await all(rest);
  expect(rest?.state.end).toMatchObject({ outcome: 'completed' });
});

test('a server that cannot be reached is named, after so many attempts', async () => {
  const client = createClient({ url: 'http://127.0.0.1:9', retries: 1 });
  const error: unknown = await client.run('Hi').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ClientError);
  expect(error).toMatchObject({ code: 'client/UNREACHABLE', transient: true, status: undefined });
});

test('an answer of another server is refused as such', async () => {
  const answers = [new Response('<html>', { status: 200 }), new Response('gone', { status: 404 })];
  for (const answer of answers) {
    const client = createClient({ url: 'http://elsewhere.example', fetch: async () => answer });
    await expect(client.run('Hi')).rejects.toMatchObject({ code: 'client/ANSWER_INVALID' });
  }
});

test('credentials are asked for with each request', async () => {
  const sent: (string | null)[] = [];
  const client = createClient({
    url: 'http://agent.example',
    token: 'first-of-all-tokens',
    headers: async () => ({ 'x-count': String(sent.length) }),
    fetch: async (url, init) => {
      const { headers } = new Request(url, init);
      sent.push(headers.get('authorization'), headers.get('x-count'));
      return Response.json({ sessions: [], interrupts: [] });
    },
  });
  expect([await all(client.sessions()), await all(client.interrupts())]).toEqual([[], []]);
  expect(sent).toEqual(['Bearer first-of-all-tokens', '0', 'Bearer first-of-all-tokens', '2']);
});

test('requests and answers have the types of the table of routes', () => {
  type Agent = Awaited<ReturnType<typeof getAgent>>;
  const getAgent = (client: Client) => client.call('GET /agent', {});
  expectTypeOf<Agent['tools'][number]>().toEqualTypeOf<{
    readonly name: string;
    readonly description?: string;
    readonly title?: string;
  }>();
  const wrong = (client: Client): readonly unknown[] => [
    // @ts-expect-error There is no such route.
    client.call('GET /sessions/{id}/nothing', {}),
    // @ts-expect-error The id of the session is missing.
    client.call('GET /sessions/{id}', {}),
    // @ts-expect-error There is no such status.
    client.call('GET /sessions', { query: { status: 'sleeping' } }),
    // @ts-expect-error It is a stream.
    client.call('GET /sessions/{id}/events', { params: { id: 'a' } }),
  ];
  expect(wrong).toBeTypeOf('function');
});
