import { createAgent, definePlugin, defineTool, memoryStore, type Agent } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import { sendMessage } from '@shallot/core/work';
import { scriptedModel } from '@shallot/testing';
import { expect, onTestFinished, test } from 'vitest';

import { ChatPage, partsOf } from '../../test/chat-page.ts';
import { createServer, type AgentServer } from '../create-server.ts';
import type { ServerOptions } from '../server-options.ts';

type Script = Parameters<typeof scriptedModel>[0];

/** A gate: its question is edited, and some calls are denied. */
const gate = definePlugin({
  name: 'gate',
  setup({ hooks }) {
    hooks.wrapToolCall.tapPromise({ name: 'gate', gate: true }, async (call, next, scope) => {
      if (call.name === 'drop')
        return { content: [], isError: true, denied: { by: 'gate', reason: 'Nothing is dropped.' } };
      const answer = {
        type: 'object',
        properties: { decision: { enum: ['approve', 'edit', 'reject'] }, args: { type: 'object' } },
      } as const;
      const given: unknown = await scope.interrupt({ kind: 'approval', payload: {}, answer });
      const args: unknown = typeof given === 'object' && given !== null && Reflect.get(given, 'args');
      return args instanceof Object ? next({ ...call, input: { to: 'Bob' } }) : next(call);
    });
  },
});

const tools = ['greet', 'drop'].map((name) =>
  defineTool({
    name,
    description: 'Does it.',
    input: { type: 'object', properties: { to: { type: 'string' } } },
    execute: ({ to }) => `Hello ${JSON.stringify(to)}`,
  }),
);

async function serve(
  script: Script,
  {
    plugins = [],
    options = {},
    store = memoryStore(),
    extra = [],
  }: {
    plugins?: Parameters<typeof createAgent>[0]['plugins'];
    options?: ServerOptions;
    store?: Store;
    extra?: typeof tools;
  } = {},
): Promise<{ server: AgentServer; agent: Agent; store: Store }> {
  const model = scriptedModel(script);
  const agent = await createAgent({ name: 'shop', model, store, plugins, tools: [...tools, ...extra] });
  const server = createServer({ agent, store }, options);
  onTestFinished(async () => {
    await server.close();
    await agent.close();
  });
  return { server, agent, store };
}

test('sources, citations, files and calls of the provider are parts, streamed and read again alike', async () => {
  const source = { id: 's1', url: 'https://example.org/', title: 'Example' };
  const paper = { id: 's2', name: 'paper.pdf', mediaType: 'application/pdf' };
  const citations = [{ source, start: 0, end: 3, quote: 'Yes' }, { source: paper }];
  const { server } = await serve([
    {
      chunks: [
        {
          type: 'part-end',
          index: 0,
          part: { type: 'provider-call', id: 'p1', name: 'web_search', input: { q: 'x' } },
        },
        {
          type: 'part-end',
          index: 1,
          part: { type: 'provider-result', callId: 'p1', name: 'web_search', result: ['found'] },
        },
        { type: 'part-end', index: 2, part: { type: 'source', ...source } },
        { type: 'part-end', index: 3, part: { type: 'source', ...paper } },
        { type: 'text-delta', index: 4, text: 'Yes' },
        { type: 'part-end', index: 4, part: { type: 'text', text: 'Yes', citations } },
        { type: 'part-end', index: 5, part: { type: 'file', mediaType: 'image/png', data: 'aGk=' } },
      ],
    },
  ]);
  const page = new ChatPage(server);
  const message = await page.send('Is it so?');
  expect(message.parts).toMatchObject([
    { type: 'tool-web_search', providerExecuted: true, state: 'output-available', output: ['found'] },
    { type: 'source-url', sourceId: 's1', url: 'https://example.org/' },
    { type: 'source-document', sourceId: 's2', filename: 'paper.pdf' },
    {
      text: 'Yes',
      citations: [
        { source: { sourceType: 'url', id: 's1' }, startIndex: 0, endIndex: 3, citedText: 'Yes' },
        { source: { sourceType: 'document', id: 's2' } },
      ],
    },
    { type: 'file', url: 'data:image/png;base64,aGk=' },
  ]);
  expect(page.errors).toEqual([]);
  expect(partsOf((await page.reload()).at(-1))).toEqual(partsOf(message));
});

test('a denial is a state of its part, with its reason', async () => {
  const { server } = await serve([{ toolCalls: [{ name: 'drop' }] }, { text: 'No.' }], { plugins: [gate()] });
  const page = new ChatPage(server);
  const message = await page.send('Drop it');
  expect(message.parts).toMatchObject([
    {
      type: 'tool-drop',
      state: 'output-denied',
      approval: { approved: false, reason: 'Nothing is dropped.' },
    },
    { text: 'No.' },
  ]);
  expect(partsOf((await page.reload()).at(-1))).toEqual(partsOf(message));
});

test('a call that was edited by the API has the input that was executed', async () => {
  const script = [{ toolCalls: [{ name: 'greet', args: { to: 'Ann' } }] }, { text: 'Done.' }];
  const { server } = await serve(script, { plugins: [gate()] });
  const page = new ChatPage(server);
  const asked = await page.send('Greet');
  const [part] = asked.parts;
  if (part === undefined || !('state' in part) || part.state !== 'approval-requested')
    throw new Error('no question');
  const path = `http://localhost/sessions/a/interrupts/${part.approval.id}?wait=30`;
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ answer: { decision: 'edit', args: { to: 'Bob' } } });
  await server.fetch(new Request(path, { method: 'POST', headers, body }));
  const [, read] = await page.reload();
  expect(read?.parts).toMatchObject([
    { type: 'tool-greet', input: { to: 'Bob' }, output: 'Hello "Bob"' },
    { text: 'Done.' },
  ]);
  // An answer that comes too late is refused.
  page.messages = [page.messages[0], asked].filter((each) => each !== undefined);
  await expect(page.answer(false)).rejects.toThrow(/INTERRUPT_UNKNOWN/);
});

test('a page that comes later follows the run, with a message that was sent to it, also at another server', async () => {
  const began = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const wait = defineTool({
    name: 'wait',
    description: 'Waits.',
    input: { type: 'object', properties: { to: { type: 'string' } } },
    async execute() {
      began.resolve();
      await release.promise;
      return 'over';
    },
  });
  const script = [{ text: 'I wait.', toolCalls: [{ name: 'wait' }] }, { text: 'Done.' }];
  const { server, agent, store } = await serve(script, { extra: [wait] });
  const other = createServer({ agent, store }, { execute: 'workers' });
  onTestFinished(() => other.close());
  const page = new ChatPage(server);
  const first = page.send('Wait');
  await began.promise;
  const late = new ChatPage(other);
  const [asked, soFar] = await late.reload();
  expect(asked?.parts).toMatchObject([{ text: 'Wait' }]);
  expect(soFar?.parts).toMatchObject([{ text: 'I wait.' }, { type: 'tool-wait', state: 'input-available' }]);
  const second = late.resume();
  await sendMessage(store, 'a', { role: 'user', content: 'And more' });
  release.resolve();
  const [one, two] = await Promise.all([first, second]);
  expect(partsOf(one)).toMatchObject([
    { text: 'I wait.' },
    { type: 'tool-wait', output: 'over' },
    { type: 'steering-message', parts: [{ type: 'text', text: 'And more' }] },
    { text: 'Done.' },
  ]);
  expect(two && [two.id, partsOf(two)]).toEqual([one.id, partsOf(one)]);
  expect((await late.reload()).map(partsOf)).toEqual(page.messages.map(partsOf));
});

test('a question outlives the server, and the next one takes the answer', async () => {
  const store = memoryStore();
  const script = [{ toolCalls: [{ name: 'greet', args: { to: 'Ann' } }] }, { text: 'Done.' }];
  const { server, agent } = await serve(script, { plugins: [gate()], store });
  await new ChatPage(server).send('Greet');
  await server.close();
  const next = createServer({ agent, store });
  onTestFinished(() => next.close());
  const page = new ChatPage(next);
  await page.reload();
  expect((await page.answer(true)).parts).toMatchObject([{ output: 'Hello "Ann"' }, { text: 'Done.' }]);
});

test('an owner sees its own chats, and answers only with the right to', async () => {
  const auth: ServerOptions['auth'] = ({ headers }) => {
    const owner = headers.get('authorization') ?? '';
    return { owner, ...(owner === 'bob' ? { may: ['run', 'read'] as const } : {}) };
  };
  const calls = [{ toolCalls: [{ name: 'greet', args: { to: 'Ann' } }] }];
  const { server } = await serve([...calls, ...calls], { plugins: [gate()], options: { auth } });
  const [ann, bob] = ['ann', 'bob'].map((authorization) => new ChatPage(server, 'a', { authorization }));
  await ann?.send('Greet Ann');
  await expect(bob?.resume()).rejects.toThrow(/SESSION_NOT_FOUND/);
  await bob?.send('Greet Bob');
  expect(bob?.messages[0]?.parts).toMatchObject([{ text: 'Greet Bob' }]);
  await expect(bob?.answer(true)).rejects.toThrow(/server\/FORBIDDEN/);
});
