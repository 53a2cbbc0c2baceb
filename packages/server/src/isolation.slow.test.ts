import { createAgent, defineTool, memoryStore, textOf } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { expect, onTestFinished, test } from 'vitest';

import { createServer, type AgentServer } from './create-server.ts';

const owners = ['ann', 'bob'] as const;
type Owner = (typeof owners)[number];

/** Words that only sessions of their owner contain. */
const words: Readonly<Record<Owner, string>> = { ann: 'apricot', bob: 'blueberry' };

const ask = defineTool({
  name: 'ask',
  description: 'Asks.',
  input: { type: 'object', properties: {} },
  async execute(_, { interrupt }) {
    return JSON.stringify(await interrupt({ kind: 'approval', payload: {}, answer: { type: 'boolean' } }));
  },
});

/** Numbers below `n` from a seed, the same in each run of the test. */
function numbers(seed: number): (n: number) => number {
  let state = seed;
  return (n) => (state = (state * 48_271) % 2_147_483_647) % n;
}

/** Ids as they are seen by somebody: of sessions, questions, messages and events. */
class Seen {
  readonly #ids: string[] = ['nothing'];
  readonly #next: (n: number) => number;

  constructor(next: (n: number) => number) {
    this.#next = next;
  }

  note(text: string): void {
    for (const [id] of text.matchAll(
      /(?<=")(?:s-[0-9a-f]{32}|c\d+|(?:int|run|resp|call|mcpr)_[\w-]+|[\w.-]+\.\d+)(?=")/g,
    ))
      this.#ids.push(id);
    for (const [id] of text.matchAll(/(?<=^id: ).+$/gm)) this.#ids.push(id);
  }

  any(): string {
    return encodeURIComponent(this.#ids[this.#next(this.#ids.length)] ?? '');
  }
}

function chatMessage(text: string, seen: Seen): object {
  return { id: decodeURIComponent(seen.any()), role: 'user', parts: [{ type: 'text', text }] };
}

function chatAnswer(seen: Seen): object {
  const approval = { id: decodeURIComponent(seen.any()), approved: true };
  const parts = [{ type: 'tool-ask', toolCallId: 'x', state: 'approval-responded', approval }];
  return { id: decodeURIComponent(seen.any()), role: 'assistant', parts };
}

const lookup = {
  name: 'lookup',
  description: 'Looks it up.',
  parameters: { type: 'object', properties: {} },
};
const own = { type: 'mcp', server_label: 'test' };

/** Returns a request in the forms of AG-UI and of OpenAI, over ids of both. */
function protocolRows(
  input: string,
  seen: Seen,
): readonly (readonly [method: string, path: string, body?: object])[] {
  const raw = (): string => decodeURIComponent(seen.any());
  const said = { role: 'user', content: input };
  const pageInput = { threadId: raw(), runId: raw(), tools: [lookup], messages: [{ ...said, id: raw() }] };
  const resume = [{ interruptId: raw(), status: 'resolved', payload: 'x' }];
  const tools = [{ type: 'function', function: lookup }];
  const result = { role: 'tool', tool_call_id: raw(), content: 'x' };
  const output = { type: 'function_call_output', call_id: raw(), output: 'x' };
  const approval = { type: 'mcp_approval_response', approval_request_id: raw(), approve: true };
  const response = { model: 'test', tools: [{ type: 'function', ...lookup }, own] };
  return [
    ['POST', '/ag-ui', pageInput],
    ['POST', '/ag-ui', { ...pageInput, messages: [] }],
    ['POST', '/ag-ui', { ...pageInput, messages: [], resume }],
    ['POST', '/v1/chat/completions', { model: 'test', messages: [said], tools }],
    ['POST', '/v1/chat/completions', { model: 'test', messages: [said, result], tools }],
    ['POST', '/v1/responses', { ...response, input }],
    ['POST', '/v1/responses', { ...response, input, previous_response_id: raw() }],
    ['POST', '/v1/responses', { ...response, input: [output] }],
    ['POST', '/v1/responses', { ...response, input: [approval], previous_response_id: raw() }],
    ['GET', `/v1/responses/${seen.any()}`],
    ['GET', `/v1/responses/${seen.any()}?stream=true`],
  ];
}

/** Makes a random request of an owner, over ids of both. */
function randomRequest(owner: Owner, next: (n: number) => number, seen: Seen): Request {
  const word = words[owner];
  const id = seen.any();
  const input = [`ask ${word}`, `call ${word}`, word, word][next(4)] ?? word;
  const rows: readonly (readonly [method: string, path: string, body?: object])[] = [
    ['POST', '/sessions?wait=5', { input, title: word }],
    ['POST', '/sessions?wait=5', { input, id: `c${next(20)}` }],
    ['GET', '/sessions'],
    ['GET', '/interrupts'],
    ['GET', `/sessions/${id}`],
    ['GET', `/sessions/${id}/messages`],
    ['GET', `/sessions/${id}/messages?after=${seen.any()}`],
    ['GET', `/sessions/${id}/events`],
    ['GET', `/sessions/${id}/events?after=${seen.any()}`],
    ['POST', `/sessions/${id}/runs?wait=5`, { input, abandon: next(2) === 0 }],
    ['POST', `/sessions/${id}/messages`, { message: word }],
    ['POST', `/sessions/${id}/stop`, {}],
    ['POST', `/sessions/${id}/resume?wait=5`, {}],
    ['POST', `/sessions/${id}/fork`, { at: decodeURIComponent(seen.any()) }],
    ['POST', `/sessions/${id}/fork`, {}],
    ['PATCH', `/sessions/${id}`, { title: word }],
    ['POST', `/sessions/${id}/interrupts/${seen.any()}?wait=5`, { answer: true }],
    ['POST', '/chat', { id: decodeURIComponent(id), messages: [chatMessage(input, seen)] }],
    ['POST', '/chat', { id: decodeURIComponent(id), messages: [chatAnswer(seen)] }],
    [
      'POST',
      '/chat',
      { id: decodeURIComponent(id), messages: [chatMessage(input, seen)], fork: `c${next(20)}` },
    ],
    ['GET', `/chat/${id}`],
    ['GET', `/chat/${id}/stream`],
    ...protocolRows(input, seen),
    ['DELETE', next(10) === 0 ? `/sessions/${id}` : '/sessions/nothing'],
  ];
  const [method, path, body] = rows[next(rows.length)] ?? ['GET', '/sessions'];
  return new Request(`http://localhost${path}`, {
    method,
    headers: {
      authorization: owner,
      'content-type': 'application/json',
      ...(next(5) === 0 ? { 'idempotency-key': `k${next(10)}` } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

test('2,000 random requests of two owners show and change nothing of the other', async () => {
  const next = numbers(20_261);
  const seen = new Seen(next);
  const store = memoryStore();
  const model = scriptedModel(
    Array.from({ length: 20_000 }, () => ({ messages }) => {
      const last = messages.at(-1);
      const text = last === undefined ? '' : textOf(last);
      if (text.startsWith('ask')) return { toolCalls: [{ name: 'ask' }] };
      return text.startsWith('call') ? { toolCalls: [{ name: 'lookup' }] } : { text: `You say ${text}.` };
    }),
  );
  const agent = await createAgent({ name: 'test', model, store, tools: [ask] });
  const server: AgentServer = createServer(
    { agent, store },
    {
      auth: (request) =>
        owners
          .map((owner) => ({ owner }))
          .find(({ owner }) => request.headers.get('authorization') === owner),
      limits: { requestsPerMinute: 1_000_000 },
    },
  );
  onTestFinished(async () => {
    await server.close();
    await agent.close();
  });
  const statuses = new Map<number, number>();
  for (let count = 0; count < 2000; count += 1) {
    const owner = owners[next(2)] ?? 'ann';
    const other: Owner = owner === 'ann' ? 'bob' : 'ann';
    const request = randomRequest(owner, next, seen);
    const response = await server.fetch(request);
    const text = await response.text();
    expect([request.method, request.url, text.includes(words[other])]).toEqual([
      request.method,
      request.url,
      false,
    ]);
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    seen.note(text);
  }
  // Each kind of answer was given, and nothing failed.
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 201, 202, 204, 404, 409]));
  expect(statuses.get(500)).toBeUndefined();
  let sessions = 0;
  for await (const { id, about } of store.list()) {
    sessions += 1;
    const others = about?.owner === 'ann' ? words.bob : words.ann;
    expect([id, JSON.stringify(await store.load(id)).includes(others)]).toEqual([id, false]);
  }
  expect(sessions).toBeGreaterThan(50);
});
