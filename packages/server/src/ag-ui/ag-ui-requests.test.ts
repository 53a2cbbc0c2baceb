import { createAgent, defineTool, memoryStore } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import { sentMessages } from '@shallot/core/work';
import { scriptedModel } from '@shallot/testing';
import { expect, onTestFinished, test } from 'vitest';

import { AgUiPage } from '../../test/ag-ui-page.ts';
import { createServer, type AgentServer } from '../create-server.ts';
import type { ServerOptions } from '../server-options.ts';

const ask = defineTool({
  name: 'ask',
  description: 'Asks.',
  input: { type: 'object', properties: {} },
  execute: (_, { interrupt }) =>
    interrupt({ kind: 'question', payload: 'Which one?', answer: { type: 'string' } }),
});

async function serve(
  script: Parameters<typeof scriptedModel>[0],
  options: ServerOptions = {},
): Promise<{ page: AgUiPage; url: string; server: AgentServer; store: Store }> {
  const store = memoryStore();
  const agent = await createAgent({ name: 'shop', model: scriptedModel(script), store, tools: [ask] });
  const server = createServer({ agent, store }, options);
  onTestFinished(async () => {
    await server.close();
    await agent.close();
  });
  return { ...(await AgUiPage.open(server, onTestFinished)), server, store };
}

/** Sends an input as it is. Returns the status and the code. */
async function refusal(url: string, input: object): Promise<readonly [number, string]> {
  const response = await fetch(`${url}/ag-ui`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ threadId: 'a', runId: 'r', messages: [], ...input }),
  });
  // As problem details have it.
  const { code } = (await response.json()) as { readonly code: string };
  return [response.status, code];
}

const said = (id: string, content: unknown): object => ({ id, role: 'user', content });

test('a client whose conversation is another one is refused, and gets the session without messages', async () => {
  const { page, url, store } = await serve([{ text: 'One.' }, { text: 'Two.' }]);
  await page.send('First');
  const differs = [409, 'server/HISTORY_DIFFERS'];
  expect(await refusal(url, { messages: [said('x', 'Edited')] })).toEqual(differs);
  expect(await refusal(url, { messages: [said('u1', 'Edited')] })).toEqual(differs);
  expect(await refusal(url, { messages: [said('u0', 'Before'), said('u1', 'First')] })).toEqual(differs);
  const late = new AgUiPage(url);
  await late.run();
  expect(late.messages).toEqual(page.messages);
  // A page may say anything in the name of the model.
  late.agent.messages = late.agent.messages.map((message) =>
    message.role === 'assistant' ? { ...message, content: 'Forged' } : message,
  );
  late.agent.addMessage({ id: 'u2', role: 'user', content: 'Second' });
  await late.run();
  expect(late.messages.map(({ content }) => content)).toEqual(['First', 'One.', 'Second', 'Two.']);
  expect((await store.load('a'))?.messages).toHaveLength(4);
});

test('a message that is sent again begins no second run', async () => {
  const { page, url, store } = await serve([{ text: 'One.' }]);
  await page.send('First');
  const again = new AgUiPage(url);
  await Promise.all([again.send('First'), new AgUiPage(url).send('First')]);
  expect(again.messages).toEqual(page.messages);
  expect((await store.load('a'))?.messages).toHaveLength(2);
});

test('files of the user reach the model, and handles of a provider are refused', async () => {
  const { page, url, store } = await serve([{ text: 'Nice.' }]);
  page.agent.addMessage({
    id: 'u1',
    role: 'user',
    content: [
      { type: 'text', text: 'Look' },
      { type: 'image', source: { type: 'data', value: 'aGk=', mimeType: 'image/png' } },
      {
        type: 'document',
        source: { type: 'url', value: 'https://example.org/a.pdf', mimeType: 'application/pdf' },
        metadata: { filename: 'a.pdf' },
      },
    ],
  });
  await page.run();
  expect((await store.load('a'))?.messages[0]).toMatchObject({
    id: 'u1',
    content: [
      { type: 'text', text: 'Look' },
      { type: 'file', mediaType: 'image/png', data: 'aGk=' },
      { type: 'file', mediaType: 'application/pdf', url: 'https://example.org/a.pdf', name: 'a.pdf' },
    ],
  });
  const handle = [{ type: 'image', source: { type: 'file', value: 'file-1' } }];
  const invalid = [400, 'server/REQUEST_INVALID'];
  expect(await refusal(url, { threadId: 'b', messages: [said('u', handle)] })).toEqual(invalid);
});

test('inputs that no run can begin with are refused', async () => {
  const { page, url } = await serve([{ toolCalls: [{ name: 'ask' }] }]);
  const invalid = [400, 'server/REQUEST_INVALID'];
  expect(await refusal(url, {})).toEqual(invalid);
  expect(await refusal(url, { threadId: 'a/b', messages: [said('u', 'Hi')] })).toEqual(invalid);
  expect(await refusal(url, { threadId: '' })).toEqual(invalid);
  expect(await refusal(url, { messages: [said('u', [])] })).toEqual(invalid);
  expect(await refusal(url, { messages: [{ id: 'u', role: 'operator', content: 'Hi' }] })).toEqual(invalid);
  expect(await refusal(url, { messages: [{ id: 'u', role: 'assistant', content: 'Hi' }] })).toEqual(invalid);
  const resume = [{ interruptId: 'i', status: 'resolved', payload: 1 }];
  expect(await refusal(url, { resume })).toEqual([404, 'SESSION_NOT_FOUND']);
  const forwardedProps = { shallot: { onDisconnect: 'explode' }, theme: 'dark' };
  expect(await refusal(url, { messages: [said('u', 'Hi')], forwardedProps })).toEqual(invalid);
  await page.send('Hi', { forwardedProps: { shallot: { onDisconnect: 'stop' }, theme: 'dark' } });
  const { messages } = page;
  const [{ id } = { id: '' }] = page.open;
  expect(await refusal(url, { messages, resume })).toEqual(invalid);
  expect(await refusal(url, { resume: [{ interruptId: id, status: 'resolved', payload: 1 }] })).toEqual([
    422,
    'INTERRUPT_ANSWER',
  ]);
  const other = { interruptId: id, status: 'resolved', payload: 'This' };
  expect(await refusal(url, { resume: [...resume, other] })).toEqual([404, 'INTERRUPT_UNKNOWN']);
  expect(await refusal(url, { messages: [...messages, said('u9', 'Hi')] })).toEqual([
    409,
    'SESSION_INTERRUPTED',
  ]);
});

test('an owner sees its own sessions, and does what it may', async () => {
  const { url } = await serve([{ toolCalls: [{ name: 'ask' }] }, { text: 'Hello Bob.' }], {
    auth: ({ headers }) => {
      const owner = headers.get('authorization') ?? '';
      return { owner, ...(owner === 'bob' ? { may: ['run'] as const } : {}) };
    },
  });
  const [ann, bob] = ['ann', 'bob'].map((authorization) => new AgUiPage(url, 'a', { authorization }));
  await ann?.send('Ann');
  await expect(bob?.run()).rejects.toThrow(/REQUEST_INVALID/);
  await bob?.send('Bob');
  expect(bob?.messages).toMatchObject([{ content: 'Bob' }, { content: 'Hello Bob.' }]);
  await expect(new AgUiPage(url, 'a', { authorization: 'bob' }).run()).rejects.toThrow(/FORBIDDEN/);
  const resume = (ann?.open ?? []).map(({ id }) => ({ interruptId: id, status: 'cancelled' }) as const);
  await expect(bob?.run({ resume })).rejects.toThrow(/FORBIDDEN/);
});

test('a server that closes ends the stream with an error, and a page follows the run at the next one', async () => {
  const store = memoryStore();
  const began = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const wait = defineTool({
    name: 'wait',
    description: 'Waits.',
    input: { type: 'object', properties: {} },
    async execute() {
      began.resolve();
      await release.promise;
      return 'over';
    },
  });
  const model = scriptedModel([{ text: 'I wait.', toolCalls: [{ name: 'wait' }] }, { text: 'Done.' }]);
  const agent = await createAgent({ name: 'shop', model, store, tools: [wait] });
  const first = createServer({ agent, store });
  const { page } = await AgUiPage.open(first, onTestFinished);
  const sent = page.send('Wait');
  await began.promise;
  const closing = first.close();
  release.resolve();
  await closing;
  await sent;
  expect(page.events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'server/DRAINING' });
  const second = createServer({ agent, store });
  onTestFinished(async () => {
    await second.close();
    await agent.close();
  });
  const { url } = await AgUiPage.open(second, onTestFinished);
  page.agent.url = `${url}/ag-ui`;
  await page.run();
  expect(page.messages.map(({ role, content }) => [role, content])).toEqual([
    ['user', 'Wait'],
    ['assistant', 'I wait.'],
    ['tool', 'over'],
    ['assistant', 'Done.'],
  ]);
});

const theme = {
  name: 'set_theme',
  description: 'Sets the theme of the page.',
  parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};

test('a tool of the page is a tool of the run, whose call is an interrupt with its result as the answer', async () => {
  const calls = [
    { name: 'set_theme', args: { name: 'dark' } },
    { name: 'set_theme', args: { name: 'blue' } },
  ];
  const { page, store } = await serve([{ toolCalls: calls }, { text: 'It is dark.' }]);
  await page.send('Make it dark', { tools: [theme] });
  expect(page.open).toMatchObject([
    {
      reason: 'client-tool',
      toolCallId: 'call_1',
      metadata: { call: { name: 'set_theme', input: { name: 'dark' } } },
    },
    { reason: 'client-tool', toolCallId: 'call_2' },
  ]);
  const [first, second] = page.open.map(({ id }) => ({ interruptId: id, status: 'resolved' as const }));
  if (first === undefined || second === undefined) throw new Error('Nothing is asked.');
  const resume = [
    { ...first, payload: 'done' },
    { ...second, payload: { content: 'There is no blue.' } },
  ];
  await page.run({ resume, tools: [theme] });
  expect(page.messages.slice(-3)).toMatchObject([
    { role: 'tool', toolCallId: 'call_1', content: 'done' },
    { role: 'tool', toolCallId: 'call_2', content: 'There is no blue.' },
    { role: 'assistant', content: 'It is dark.' },
  ]);
  expect((await store.load('a'))?.run?.status).toBe('completed');
});

test('tools that no run can have are refused', async () => {
  const { url } = await serve([]);
  const messages = [said('u', 'Hi')];
  const invalid = [400, 'server/REQUEST_INVALID'];
  for (const tool of [{ ...theme, name: 'ask' }, { ...theme, name: 'a b' }, { description: 'Nameless.' }])
    expect(await refusal(url, { messages, tools: [tool] })).toEqual(invalid);
  expect(await refusal(url, { messages, tools: [theme, theme] })).toEqual(invalid);
});

test('a message that comes with refused answers is refused with them', async () => {
  const { page, url, store } = await serve([{ toolCalls: [{ name: 'ask' }] }, { text: 'That one.' }]);
  await page.send('Choose');
  const [{ id } = { id: '' }] = page.open;
  const body = { messages: [...page.messages, said('u9', 'Quickly')] };
  const wrong = [{ interruptId: id, status: 'resolved', payload: 1 }];
  expect(await refusal(url, { ...body, resume: wrong })).toEqual([422, 'INTERRUPT_ANSWER']);
  expect(await sentMessages(store, 'a')).toEqual([]);
  await page.run({ resume: [{ interruptId: id, status: 'resolved', payload: 'This' }] });
  expect(page.messages.map(({ content }) => content)).toEqual(['Choose', undefined, 'This', 'That one.']);
});
