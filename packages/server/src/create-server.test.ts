import { createAgent, definePlugin, defineTool, memoryStore, textOf } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { expect, onTestFinished, test } from 'vitest';

import { createServer, type AgentServer } from './create-server.ts';
import { routes } from './http/routes.ts';
import type { ServerOptions } from './server-options.ts';

type Script = Parameters<typeof scriptedModel>[0];

const charge = defineTool({
  name: 'charge',
  description: 'Charges the card.',
  input: { type: 'object', properties: {}, additionalProperties: false },
  async execute(_, { interrupt }) {
    const isAllowed = await interrupt({ kind: 'approval', payload: {}, answer: { type: 'boolean' } });
    return isAllowed === true ? 'charged' : 'refused';
  },
});

async function serve(script: Script, options: ServerOptions = {}): Promise<AgentServer> {
  const store = memoryStore();
  const agent = await createAgent({ name: 'shop', model: scriptedModel(script), store, tools: [charge] });
  const server = createServer({ agent, store }, options);
  onTestFinished(async () => {
    await server.close();
    await agent.close();
  });
  return server;
}

/** Keys of Ann and Bob, who own sessions. */
const auth: ServerOptions['auth'] = (asked) => {
  const owner = asked.headers.get('authorization')?.replace('Bearer ', '');
  return owner === 'ann' || owner === 'bob' ? { owner } : undefined;
};

const base = 'http://localhost:4111';

function request(
  path: string,
  { body, headers, method }: { body?: unknown; headers?: Record<string, string>; method?: string } = {},
): Request {
  return new Request(`${base}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function json(response: Promise<Response> | Response): Promise<unknown> {
  return (await response).json();
}

test('a run is begun, waited for and read', async () => {
  const server = await serve([{ text: 'Hello' }]);
  const created = await server.fetch(
    request('/sessions?wait=30', { body: { id: 'a', input: 'Hi', title: 'T' } }),
  );
  expect(created.status).toBe(201);
  expect(await created.json()).toMatchObject({
    id: 'a',
    title: 'T',
    run: { status: 'completed', text: 'Hello', steps: 1, isOpen: false },
  });
  expect(await json(server.fetch(request('/sessions/a/messages')))).toMatchObject({
    messages: [{ role: 'user' }, { role: 'assistant' }],
  });
  expect(await json(server.fetch(request('/sessions')))).toMatchObject({ sessions: [{ id: 'a' }] });
});

test('a question is listed, and its answer resumes the run', async () => {
  const server = await serve([{ toolCalls: [{ name: 'charge' }] }, { text: 'Done' }]);
  const asked = await json(server.fetch(request('/sessions?wait=30', { body: { id: 'a', input: 'Buy' } })));
  expect(asked).toMatchObject({ run: { status: 'interrupted', isOpen: false } });
  const listed = (await json(server.fetch(request('/interrupts')))) as { interrupts: [{ id: string }] };
  const [{ id }] = listed.interrupts;
  const path = `/sessions/a/interrupts/${id}?wait=30`;
  expect(await json(server.fetch(request(path, { body: { answer: 5 } })))).toMatchObject({
    code: 'INTERRUPT_ANSWER',
    status: 422,
  });
  expect(await json(server.fetch(request(path, { body: { answer: true } })))).toMatchObject({
    status: 'completed',
    text: 'Done',
  });
  expect(await json(server.fetch(request(path, { body: { answer: true } })))).toMatchObject({ status: 404 });
});

test('the events of a run end with its end, and 204 says that nothing is new', async () => {
  const server = await serve([{ text: 'Hello' }]);
  const sse = { accept: 'text/event-stream' };
  const stream = await server.fetch(request('/sessions', { body: { id: 'a', input: 'Hi' }, headers: sse }));
  const text = await stream.text();
  // Deltas of a step are there only if somebody looked in time.
  const types = Array.from(text.matchAll(/^event: (message|run-end)$/gm), ([, type]) => type);
  expect(types).toEqual(['message', 'message', 'run-end']);
  const ids = Array.from(text.matchAll(/^id: (.+)$/gm), ([, id]) => id ?? '');
  const last = { headers: { 'last-event-id': ids.at(-1) ?? '' } };
  expect((await server.fetch(request('/sessions/a/events', last))).status).toBe(204);
  const before = { headers: { 'last-event-id': ids.at(-2) ?? '' } };
  expect(await (await server.fetch(request('/sessions/a/events', before))).text()).toMatch(/event: run-end/);
});

test('an owner finds no session of another, whatever it does', async () => {
  const server = await serve([{ toolCalls: [{ name: 'charge' }] }, { text: 'Done' }], { auth });
  const [ann, bob] = ['ann', 'bob'].map((owner) => ({ headers: { authorization: `Bearer ${owner}` } }));
  const created = await json(server.fetch(request('/sessions?wait=30', { body: { input: 'Buy' }, ...ann })));
  const { id, run } = created as { id: string; run: { interrupts: [{ id: string }] } };
  const [{ id: interrupt }] = run.interrupts;
  const paths: readonly [path: string, body?: unknown][] = [
    [`/sessions/${id}`],
    [`/sessions/${id}/messages`],
    [`/sessions/${id}/events`],
    [`/sessions/${id}/runs`, { input: 'Hi', abandon: true }],
    [`/sessions/${id}/messages`, { message: 'Hi' }],
    [`/sessions/${id}/stop`, {}],
    [`/sessions/${id}/fork`, { id: 'mine' }],
    [`/sessions/${id}/resume`, {}],
    [`/sessions/${id}/interrupts/${interrupt}`, { answer: true }],
  ];
  for (const [path, body] of paths) {
    const refused = await server.fetch(request(path, { ...(body === undefined ? {} : { body }), ...bob }));
    expect([path, refused.status, await json(refused)]).toMatchObject([
      path,
      404,
      { code: 'SESSION_NOT_FOUND' },
    ]);
  }
  expect((await server.fetch(request(`/sessions/${id}`, { method: 'DELETE', ...bob }))).status).toBe(404);
  expect(await json(server.fetch(request('/interrupts', bob)))).toEqual({ interrupts: [] });
  expect(await json(server.fetch(request('/sessions', bob)))).toEqual({ sessions: [] });
  expect(await json(server.fetch(request('/sessions', ann)))).toMatchObject({
    sessions: [{ id, owner: 'ann' }],
  });
});

test('a session without a title gets the beginning of its first message, as the agent stores it', async () => {
  const secret = definePlugin({
    name: 'secret',
    setup({ hooks }) {
      hooks.beforeAgent.tap({ name: 'hide', input: true }, (messages) =>
        messages.map((message) => ({ role: 'user', content: textOf(message).replace('4711', '****') })),
      );
    },
  });
  const store = memoryStore();
  const model = scriptedModel([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }]);
  const agent = await createAgent({ name: 'shop', model, store, plugins: [secret()] });
  const server = createServer({ agent, store });
  onTestFinished(async () => {
    await server.close();
    await agent.close();
  });
  const input = `My code\nis 4711. ${'🐝'.repeat(80)}`;
  await server.fetch(request('/sessions?wait=30', { body: { id: 'a', input } }));
  await server.fetch(request('/sessions/a/runs?wait=30', { body: { input: 'And now?' } }));
  await server.fetch(request('/sessions', { body: { id: 'b' } }));
  await server.fetch(request('/sessions/b/runs?wait=30', { body: { input: 'Later' } }));
  expect(await json(server.fetch(request('/sessions')))).toMatchObject({
    sessions: [
      { id: 'b', title: 'Later' },
      { id: 'a', title: `My code is ****. ${'🐝'.repeat(62)}…` },
    ],
  });
});

test('a session is renamed, by its owner alone', async () => {
  const server = await serve([], { auth });
  const as = (owner: string) => ({ authorization: `Bearer ${owner}` });
  await server.fetch(request('/sessions', { body: { id: 'a', title: 'Old' }, headers: as('ann') }));
  const rename = (owner: string, body: object): Promise<Response> =>
    server.fetch(request('/sessions/a', { method: 'PATCH', body, headers: as(owner) }));
  expect((await rename('bob', { title: 'Mine' })).status).toBe(404);
  expect((await rename('ann', { title: '' })).status).toBe(400);
  expect(await json(rename('ann', { title: 'New' }))).toMatchObject({ id: 'a', title: 'New' });
  expect(await json(server.fetch(request('/sessions', { headers: as('ann') })))).toMatchObject({
    sessions: [{ id: 'a', title: 'New' }],
  });
});

test('two owners may choose the same id', async () => {
  const server = await serve([], { auth });
  for (const owner of ['ann', 'bob']) {
    const headers = { authorization: `Bearer ${owner}` };
    const created = await server.fetch(
      request('/sessions', { body: { id: 'notes', title: owner }, headers }),
    );
    expect(created.status).toBe(201);
    const read = await json(server.fetch(request('/sessions/notes', { headers })));
    expect(read).toMatchObject({ id: 'notes', title: owner });
  }
});

test('a repeated key gives the run that is there, and with another body 422', async () => {
  const server = await serve([{ text: 'One' }, { text: 'Two' }]);
  const begin = (input: string) =>
    server.fetch(request('/sessions?wait=30', { body: { input }, headers: { 'idempotency-key': 'k1' } }));
  const [first, again] = [await json(begin('Hi')), await json(begin('Hi'))];
  expect(again).toMatchObject(first as object);
  expect(await json(begin('Other'))).toMatchObject({ status: 422, code: 'server/KEY_REUSED' });
});

test('a repeated key gives its run also when others have begun since', async () => {
  const server = await serve(['One', 'Two', 'Three'].map((text) => ({ text })));
  await server.fetch(request('/sessions?wait=30', { body: { id: 'a', input: 'Begin' } }));
  const begin = (input: string, key: string) =>
    json(
      server.fetch(
        request('/sessions/a/runs?wait=30', { body: { input }, headers: { 'idempotency-key': key } }),
      ),
    );
  const first = (await begin('Hi', 'k1')) as { readonly runId: string };
  const { runId, status, text, startedAt } = (await begin('Hi again', 'k2')) as Record<string, string>;
  expect(await begin('Hi', 'k1')).toMatchObject({
    runId: first.runId,
    status: 'completed',
    text: 'Two',
    isOpen: false,
  });
  expect(await begin('Hi again', 'k2')).toMatchObject({ runId, status, text, startedAt });
  expect(await begin('Other', 'k1')).toMatchObject({ status: 422, code: 'server/KEY_REUSED' });
  const { messages } = (await json(server.fetch(request('/sessions/a/messages')))) as { messages: unknown[] };
  expect(messages).toHaveLength(6);
});

test('a run while one runs, and two answers at once, are refused without harm', async () => {
  const server = await serve([{ toolCalls: [{ name: 'charge' }] }, { text: 'Well.' }]);
  const asked = (await json(
    server.fetch(request('/sessions?wait=30', { body: { id: 'a', input: 'Hi' } })),
  )) as {
    readonly run: { readonly interrupts: readonly [{ readonly id: string }] };
  };
  const during = server.fetch(request('/sessions/a/runs', { body: { input: 'And?' } }));
  expect(await json(during)).toMatchObject({ status: 409, code: 'SESSION_INTERRUPTED' });
  const path = `/sessions/a/interrupts/${asked.run.interrupts[0].id}?wait=30`;
  const answers = await Promise.all(
    [true, false].map((answer) => server.fetch(request(path, { body: { answer } }))),
  );
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  expect(statuses[0]).toBe(202);
  expect([404, 409]).toContain(statuses[1]);
  const { run } = (await json(server.fetch(request('/sessions/a')))) as {
    run: { status: string; text: string };
  };
  expect(run).toMatchObject({ status: 'completed', text: 'Well.' });
});

test('a token that has expired is refused', async () => {
  let isValid = true;
  const server = await serve([], { auth: () => (isValid ? { owner: 'ann' } : undefined) });
  expect((await server.fetch(request('/sessions'))).status).toBe(200);
  isValid = false;
  expect(await json(server.fetch(request('/sessions')))).toMatchObject({ code: 'server/UNAUTHENTICATED' });
});

test('an operator with a token has no more than so many runs', async () => {
  const stalled = { chunks: ['Hm'], stall: true as const };
  const tokens = ['0123456789abcdef-one'];
  const server = await serve([stalled, stalled], {
    auth: { tokens },
    limits: { openRuns: 1 },
    stopTimeoutMs: 0,
  });
  const headers = { authorization: `Bearer ${tokens[0]}` };
  const begin = () => server.fetch(request('/sessions', { body: { input: 'Hi' }, headers }));
  expect((await begin()).status).toBe(201);
  expect(await json(begin())).toMatchObject({ status: 429, code: 'server/TOO_MANY' });
});

test('a session is forked at a message, and goes on by itself', async () => {
  const server = await serve([{ text: 'One' }, { text: 'Two' }], { auth });
  const headers = { authorization: 'Bearer ann' };
  await server.fetch(request('/sessions?wait=30', { body: { id: 'a', input: 'Hi' }, headers }));
  const read = (await json(server.fetch(request('/sessions/a/messages', { headers })))) as {
    messages: [{ id: string }];
  };
  const body = { id: 'b', at: read.messages[0].id };
  expect(await json(server.fetch(request('/sessions/a/fork', { body, headers })))).toMatchObject({
    id: 'b',
    owner: 'ann',
    withoutState: [],
  });
  const run = await json(
    server.fetch(request('/sessions/b/runs?wait=30', { body: { input: 'Again' }, headers })),
  );
  expect(run).toMatchObject({ sessionId: 'b', status: 'completed', text: 'Two' });
  const again = await server.fetch(request('/sessions/a/fork', { body, headers }));
  expect([again.status, await json(again)]).toMatchObject([409, { code: 'server/SESSION_EXISTS' }]);
});

test('bearer tokens are asked for, two at once', async () => {
  const tokens = ['0123456789abcdef-old', '0123456789abcdef-new'];
  const server = await serve([], { auth: { tokens } });
  const statusWith = async (authorization: string) =>
    (await server.fetch(request('/sessions', { headers: { authorization } }))).status;
  expect(await Promise.all(tokens.map((token) => statusWith(`Bearer ${token}`)))).toEqual([200, 200]);
  for (const wrong of ['', 'Bearer', `Basic ${tokens[0]}`, 'Bearer 0123456789abcdef'])
    expect(await statusWith(wrong)).toBe(401);
  expect((await server.fetch(request('/health'))).status).toBe(200);
});

test('requests of pages of elsewhere are refused, except for listed ones', async () => {
  const server = await serve([], { origins: ['https://app.example'] });
  const from = (origin: string) => server.fetch(request('/sessions', { headers: { origin } }));
  expect((await from('http://localhost:4111')).status).toBe(200);
  expect((await from('https://app.example')).headers.get('access-control-allow-origin')).toBe(
    'https://app.example',
  );
  for (const origin of ['https://evil.example', 'null', 'http://localhost:1']) {
    const refused = await from(origin);
    expect([refused.status, await json(refused)]).toMatchObject([403, { code: 'server/ORIGIN_REFUSED' }]);
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
  }
  // A name of elsewhere that leads to this machine.
  const rebound = await server.fetch(new Request('http://evil.example:4111/sessions'));
  expect([rebound.status, await json(rebound)]).toMatchObject([421, { code: 'server/HOST_REFUSED' }]);
});

test('a server without an agent says so, and reads on', async () => {
  const store = memoryStore();
  await store.commit('a', 0, { about: { title: 'T' } });
  const server = createServer({ store });
  onTestFinished(() => server.close());
  expect((await server.fetch(request('/ready'))).status).toBe(503);
  expect(await json(server.fetch(request('/sessions/a')))).toMatchObject({ title: 'T' });
  const refused = await json(server.fetch(request('/sessions', { body: { input: 'Hi' } })));
  expect(refused).toMatchObject({ status: 503, code: 'server/AGENT_MISSING' });
});

test('a closing server finishes the step, and another one goes on', async () => {
  const store = memoryStore();
  const { promise: release, resolve } = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const slow = defineTool({
    name: 'slow',
    description: 'Takes its time.',
    input: { type: 'object', properties: {} },
    async execute() {
      began.resolve();
      await release;
      return 'done';
    },
  });
  const model = scriptedModel([{ toolCalls: [{ name: 'slow' }] }, { text: 'Done' }]);
  const agent = await createAgent({ name: 'shop', model, store, tools: [slow] });
  const first = createServer({ agent, store });
  await first.fetch(request('/sessions', { body: { id: 'a', input: 'Hi' } }));
  await began.promise;
  const closing = first.close();
  expect((await first.fetch(request('/ready'))).status).toBe(503);
  resolve();
  await closing;
  expect((await store.load('a'))?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  const second = createServer({ agent, store });
  onTestFinished(async () => {
    await second.close();
    await agent.close();
  });
  const events = await second.fetch(request('/sessions/a/events'));
  expect(await events.text()).toMatch(/"outcome":"completed"/);
});

test('the agent is replaced, and the server goes on with the new one', async () => {
  const store = memoryStore();
  const [before, after] = await Promise.all(
    ['Before', 'After'].map((text) => createAgent({ name: 'shop', model: scriptedModel([{ text }]), store })),
  );
  if (before === undefined || after === undefined) throw new Error('there are two agents');
  const server = createServer({ agent: before, store });
  onTestFinished(async () => {
    await server.close();
    await after.close();
  });
  const textOfRun = async (): Promise<unknown> =>
    json(server.fetch(request('/sessions?wait=30', { body: { input: 'Hi' } })));
  expect(await textOfRun()).toMatchObject({ run: { text: 'Before' } });
  server.use({ agent: after, store });
  await before.close();
  expect(await textOfRun()).toMatchObject({ run: { text: 'After' } });
});

test('the description has every route of the table', async () => {
  const server = await serve([]);
  const { openapi, paths } = (await json(server.fetch(request('/openapi.json')))) as {
    openapi: string;
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  expect(openapi).toBe('3.1.0');
  const described = Object.values(paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  expect(described.toSorted()).toEqual(Object.keys(routes).toSorted());
});

test('the name that a proxy was asked by counts where it is trusted, and only there', async () => {
  const headers = {
    'x-forwarded-host': 'agent.example, inner.example',
    origin: 'https://agent.example',
  };
  const hosts = ['agent.example'];
  const trusting = await serve([], { hosts, trustProxy: true });
  expect((await trusting.fetch(request('/sessions', { headers }))).status).toBe(200);
  const other = { headers: { ...headers, 'x-forwarded-host': 'evil.example' } };
  expect((await trusting.fetch(request('/sessions', other))).status).toBe(421);
  const strict = await serve([]);
  expect(await json(strict.fetch(request('/sessions', { headers })))).toMatchObject({
    code: 'server/ORIGIN_REFUSED',
  });
});

test('a run that is submitted while another one is executed is refused, and disturbs nothing', async () => {
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const server = await serve([
    async () => {
      begun.resolve();
      await release.promise;
      return { text: 'First' };
    },
    { text: 'Second' },
  ]);
  await server.fetch(request('/sessions', { body: { id: 'a', input: 'Hi' } }));
  await begun.promise;
  const refused = await server.fetch(request('/sessions/a/runs', { body: { input: 'And?' } }));
  const problem = await json(refused);
  expect([refused.status, problem]).toMatchObject([409, { code: 'STORE_CONFLICT' }]);
  // The process of the server, and its host, are no matter of clients.
  expect(problem).toMatchObject({ detail: expect.not.stringContaining(String(process.pid)) as string });
  release.resolve();
  await (await server.fetch(request('/sessions/a/events'))).text();
  expect(
    await json(server.fetch(request('/sessions/a/runs?wait=30', { body: { input: 'And?' } }))),
  ).toMatchObject({ status: 'completed', text: 'Second' });
});
