import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { isInputRequiredResult, type ProgressCallback } from '@modelcontextprotocol/client';
import { createRequestStateCodec } from '@modelcontextprotocol/server';
import { createAgent, defineTool, memoryStore, type Agent } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import { pendingInterrupts } from '@shallot/core/work';
import askUser from '@shallot/plugin-ask-user';
import hitl from '@shallot/plugin-hitl';
import { createServer, listen, type ServerOptions } from '@shallot/server';
import { scriptedModel, type ScriptedStep } from '@shallot/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { ask, connectOverHttp, replyTo, sessionOf, textsOf, type Retry } from '../test/mcp-client.ts';
import { mcpMount, type McpOptions } from './index.ts';

const secret = 'a secret of this test, known to nobody else';
const paid: string[] = [];
const pay = defineTool({
  name: 'pay',
  description: 'Pays a bill.',
  title: 'Pay the bill',
  input: { type: 'object', properties: { bill: { type: 'string' } }, required: ['bill'] },
  execute: (args) => {
    paid.push(JSON.stringify(args));
    return 'paid';
  },
});
const payStep: ScriptedStep = { text: 'I pay.', toolCalls: [{ name: 'pay', args: { bill: 'A' } }] };
const approve = { action: 'accept', content: { decision: 'approve' } } as const;

interface Place {
  readonly url: string;
  readonly store: Store;
  readonly agent: Agent;
}

/** Serves an agent on a free port. Servers with one store are processes of one agent. */
async function serve(
  steps: readonly ScriptedStep[],
  {
    store = memoryStore(),
    mcp = {},
    server: options = {},
  }: { readonly store?: Store; readonly mcp?: Partial<McpOptions>; readonly server?: ServerOptions } = {},
): Promise<Place> {
  const agent = await createAgent({
    name: 'payer',
    description: 'It pays bills.',
    model: scriptedModel(steps),
    store,
    tools: [pay],
    plugins: [hitl({ tools: { pay: true } }), askUser()],
    log: 'silent',
  });
  const mount = mcpMount({
    program: { name: 'test', version: '1.0.0' },
    secret: () => secret,
    ...mcp,
  });
  const server = createServer({ agent, store }, { ...options, mounts: { '/mcp': mount } });
  const listening = await listen(server, { port: 0 });
  onTestFinished(async () => {
    await server.close();
    await listening.close();
    await agent.close();
  });
  return { url: listening.url, store, agent };
}

const ownerOf: ServerOptions['auth'] = (request) => {
  const owner = /^Bearer (ann|bob)$/.exec(request.headers.get('authorization') ?? '')?.[1];
  return owner === undefined ? undefined : { owner };
};

describe('the tool ask', () => {
  it.each(['newest', 'older'] as const)(
    'answers, and goes on in its session: the %s revision',
    async (revision) => {
      const { url } = await serve([{ text: 'Hello.' }, { text: 'Again.' }]);
      const client = await connectOverHttp(url, { revision });
      const { tools } = await client.listTools();
      expect(tools).toMatchObject([
        { name: 'ask', title: 'Ask payer', description: expect.stringContaining('It pays bills.') as string },
      ]);
      const first = await ask(client, { question: 'Hi' });
      expect(textsOf(first)).toEqual(['Hello.', expect.stringContaining(sessionOf(first))]);
      const second = await ask(client, { question: 'And?', session: sessionOf(first) });
      expect(textsOf(second)[0]).toBe('Again.');
      expect(sessionOf(second)).toBe(sessionOf(first));
    },
  );

  it('reports progress, which grows', async () => {
    const { url } = await serve([
      { text: 'I look first.', toolCalls: [{ name: 'pay', args: { bill: 'B' } }] },
      { text: 'Done.' },
    ]);
    const client = await connectOverHttp(url);
    const reports: Parameters<ProgressCallback>[0][] = [];
    const onprogress: ProgressCallback = (report) => void reports.push(report);
    const asked = await ask(client, { question: 'Pay' }, { onprogress });
    await ask(client, { question: 'Pay' }, { onprogress, retry: replyTo(asked, approve) });
    expect(reports.map(({ message }) => message)).toEqual(
      expect.arrayContaining(['I look first.', 'Pay the bill']),
    );
  });

  it('gives structured content where an output schema is configured', async () => {
    const output = { type: 'object', properties: { days: { type: 'number' } }, required: ['days'] };
    const { url } = await serve([{ text: '```json\n{"days":9}\n```' }, { error: 'no more' }], {
      mcp: { output },
    });
    const client = await connectOverHttp(url);
    expect((await client.listTools()).tools).toMatchObject([{ outputSchema: output }]);
    expect(await ask(client, { question: 'How long?' })).toMatchObject({ structuredContent: { days: 9 } });
    expect(await ask(client, { question: 'How long?' })).toMatchObject({ isError: true });
  });

  it('tells the code of a run that failed, and of a session that does not exist', async () => {
    const { url } = await serve([{ error: 'the model is down' }]);
    const client = await connectOverHttp(url);
    const failed = await ask(client, { question: 'Hi' });
    expect([failed['isError'], textsOf(failed)[0]]).toEqual([true, expect.stringContaining('MODEL_')]);
    const unknown = await ask(client, { question: 'Hi', session: 'a/b' });
    expect([unknown['isError'], textsOf(unknown)[0]]).toEqual([
      true,
      expect.stringContaining('SESSION_NOT_FOUND'),
    ]);
    await expect(ask(client, { question: '' })).resolves.toMatchObject({ isError: true });
  });

  it('stops the run after its step when the call is cancelled', async () => {
    const { url, store } = await serve([
      async () => {
        await sleep(50);
        return { toolCalls: [{ name: 'pay', args: {} }] };
      },
      { text: 'Not asked for.' },
    ]);
    const client = await connectOverHttp(url);
    const abort = new AbortController();
    const call = ask(client, { question: 'Hi' }, { signal: abort.signal });
    await vi.waitFor(async () => {
      const statuses = [];
      for await (const { status } of store.list()) statuses.push(status);
      expect(statuses).toEqual(['running']);
    }, 10_000);
    abort.abort();
    await expect(call).rejects.toThrow(/abort/i);
    await vi.waitFor(async () => {
      for await (const { status } of store.list()) expect(status).toBe('aborted');
    }, 10_000);
  });
});

describe('a question of the agent', () => {
  it('is passed on by one process of the client, answered by another, and executed once', async () => {
    paid.length = 0;
    const store = memoryStore();
    const first = await serve([payStep], { store });
    const asked = await ask(await connectOverHttp(first.url), { question: 'Pay' });
    expect(asked).toMatchObject({
      inputRequests: expect.toSatisfy((requests: object) =>
        JSON.stringify(requests).includes('Pay the bill'),
      ) as unknown,
    });
    const second = await serve([payStep], { store });
    const wrong = { action: 'accept', content: { decision: 'edit', arguments: '[1]' } };
    const again = await ask(
      await connectOverHttp(second.url),
      { question: 'Pay' },
      { retry: replyTo(asked, wrong) },
    );
    expect(isInputRequiredResult(again)).toBe(true);
    const third = await serve([{ text: 'Paid.' }], { store });
    const done = await ask(
      await connectOverHttp(third.url),
      { question: 'Pay' },
      { retry: replyTo(again, approve) },
    );
    expect(textsOf(done)[0]).toBe('Paid.');
    expect(paid).toEqual(['{"bill":"A"}']);
  });

  it.each([
    ['decline rejects the call', 'decline', ['No.'], false],
    ['cancel leaves it open', 'cancel', ['May Pay the bill'], true],
  ] as const)('%s', async (_, action, [text], isOpen) => {
    paid.length = 0;
    const { url, store } = await serve([payStep, { text: 'No.' }]);
    const client = await connectOverHttp(url);
    const asked = await ask(client, { question: 'Pay' });
    const replied = await ask(client, { question: 'Pay' }, { retry: replyTo(asked, { action }) });
    expect(textsOf(replied)[0]).toContain(text);
    expect(await pendingInterrupts(store, sessionOf(replied))).toHaveLength(isOpen ? 1 : 0);
    expect(paid).toEqual([]);
  });

  it('is asked as a form: of the user, with the choices, or as text', async () => {
    const questions = [{ question: 'Which?', choices: ['A', 'B'], strict: true }];
    const { url } = await serve([
      { toolCalls: [{ name: 'ask_user', args: { questions } }] },
      ({ messages }) => ({ text: JSON.stringify(messages.at(-1)) }),
    ]);
    const client = await connectOverHttp(url);
    const asked = await ask(client, { question: 'Go' });
    expect(Object.values(replyTo(asked, {}).inputResponses ?? {})).toHaveLength(1);
    expect(JSON.stringify(asked)).toContain('"enum":["A","B"]');
    const retry = replyTo(asked, { action: 'accept', content: { answer: 'B' } });
    expect(textsOf(await ask(client, { question: 'Go' }, { retry }))[0]).toContain('B');
  });

  it.each([
    ['an older client', { revision: 'older' }],
    ['a client without forms', { capabilities: {} }],
  ] as const)('is named to %s, with the way to answer it', async (_, options) => {
    const { url, store } = await serve([payStep]);
    const client = await connectOverHttp(url, options);
    const result = await ask(client, { question: 'Pay' });
    const [open] = await pendingInterrupts(store, sessionOf(result));
    expect(result).toMatchObject({ isError: true });
    expect(textsOf(result).join('\n')).toContain(`shallot answer ${open?.id}`);
  });

  it('comes first in its session, and keeps an input from being sent', async () => {
    const { url } = await serve([payStep, { text: 'Paid.' }]);
    const client = await connectOverHttp(url);
    const asked = await ask(client, { question: 'Pay' });
    const left = await ask(client, { question: 'Pay' }, { retry: replyTo(asked, { action: 'cancel' }) });
    const again = await ask(client, { question: 'Something else', session: sessionOf(left) });
    const done = await ask(client, { question: 'Something else' }, { retry: replyTo(again, approve) });
    expect(textsOf(done)[0]).toBe('Paid.');
  });

  it('is not answered with a state that is forged, old, or of somebody else', async () => {
    const { url } = await serve([payStep, { text: 'Paid.' }], { server: { auth: ownerOf } });
    const ann = await connectOverHttp(url, { token: 'ann' });
    const bob = await connectOverHttp(url, { token: 'bob' });
    const retry = replyTo(await ask(ann, { question: 'Pay' }), approve);
    const key = createHash('sha256').update(`shallot mcp state\n${secret}`).digest();
    const old = createRequestStateCodec({ key, ttlSeconds: -1, bind: () => JSON.stringify(['ann', null]) });
    // The binding reads nothing of the context.
    const expired = await old.mint({ tool: 'ask', sessionId: 's' }, {} as never);
    const refused = { code: -32_602 };
    const state = retry.requestState ?? '';
    const attempts: readonly (readonly [typeof ann, Retry])[] = [
      [bob, retry],
      [ann, { ...retry, requestState: `${state.slice(0, -4)}AAAA` }],
      [ann, { ...retry, requestState: 'nonsense' }],
      [ann, { ...retry, requestState: expired }],
    ];
    for (const [client, attempt] of attempts)
      await expect(ask(client, { question: 'Pay' }, { retry: attempt })).rejects.toMatchObject(refused);
    paid.length = 0;
    expect(textsOf(await ask(ann, { question: 'Pay' }, { retry }))[0]).toBe('Paid.');
    expect(paid).toEqual(['{"bill":"A"}']);
  });
});

describe('over HTTP', () => {
  it('asks for the credentials of the server, and shows nobody the sessions of others', async () => {
    const { url } = await serve([{ text: 'Hello.' }], { server: { auth: ownerOf } });
    await expect(connectOverHttp(url)).rejects.toThrow(/401|UNAUTHENTICATED|credentials/i);
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const response = await fetch(`${url}/mcp`, { method: 'POST', body: JSON.stringify(body) });
    expect([response.status, await response.json()]).toMatchObject([401, { code: 'server/UNAUTHENTICATED' }]);
    const ann = await connectOverHttp(url, { token: 'ann' });
    const bob = await connectOverHttp(url, { token: 'bob' });
    const session = sessionOf(await ask(ann, { question: 'Hi' }));
    expect(textsOf(await ask(bob, { question: 'Hi', session }))[0]).toContain('SESSION_NOT_FOUND');
  });

  it('refuses a question of ten megabytes, and answers the next', async () => {
    const { url } = await serve([{ text: 'Hello.' }]);
    const client = await connectOverHttp(url);
    await expect(ask(client, { question: 'x'.repeat(10_000_000) })).rejects.toThrow(/413|too large/i);
    expect(textsOf(await ask(client, { question: 'Hi' }))[0]).toBe('Hello.');
  });

  it('counts its requests, and refuses pages of elsewhere', async () => {
    const { url } = await serve([], { server: { limits: { requestsPerMinute: 2 } } });
    const send = (headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${url}/mcp`, { method: 'POST', headers, body: '{}' });
    expect((await send({ origin: 'https://evil.example' })).status).toBe(403);
    const statuses = [await send(), await send(), await send()].map(({ status }) => status);
    expect(statuses.at(-1)).toBe(429);
  });
});
