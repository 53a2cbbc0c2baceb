import { createAgent, defineTool, memoryStore, type Agent } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import { scriptedModel } from '@shallot/testing';
import type { UIMessage } from 'ai';
import { expect, onTestFinished, test } from 'vitest';

import { ChatPage as Page, partsOf } from '../../test/chat-page.ts';
import { createServer, type AgentServer } from '../create-server.ts';
import type { ServerOptions } from '../server-options.ts';

type Script = Parameters<typeof scriptedModel>[0];

const approval = {
  type: 'object',
  properties: {
    decision: { enum: ['approve', 'reject', 'edit'] },
    reason: { type: 'string' },
    args: { type: 'object' },
  },
  required: ['decision'],
} as const;

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object', properties: { euros: { type: 'number' } } },
  async execute({ euros }, { interrupt }) {
    const answer = await interrupt({ kind: 'approval', payload: { euros }, answer: approval });
    return { answer, euros };
  },
});

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object', properties: { at: { type: 'string' } } },
  execute: ({ at }) => {
    if (at === 'nothing') throw new Error('There is nothing.');
    return { seen: at };
  },
});

const ask = defineTool({
  name: 'ask',
  description: 'Asks.',
  input: { type: 'object', properties: {} },
  execute: (_, { interrupt }) =>
    interrupt({ kind: 'question', payload: 'Which one?', answer: { type: 'string' } }),
});

interface Served {
  readonly server: AgentServer;
  readonly agent: Agent;
  readonly store: Store;
}

async function serve(script: Script, options: ServerOptions = {}): Promise<Served> {
  const store = memoryStore();
  const agent = await createAgent({
    name: 'shop',
    model: scriptedModel(script),
    store,
    tools: [pay, look, ask],
  });
  const server = createServer({ agent, store }, options);
  onTestFinished(async () => {
    await server.close();
    await agent.close();
  });
  return { server, agent, store };
}

test('a conversation is streamed as messages with the ids of its runs, and read again as such', async () => {
  const { server, store } = await serve([
    { reasoning: 'Hm.', text: 'Let me look.', toolCalls: [{ name: 'look', args: { at: 'shelf' } }] },
    { text: 'It is there.' },
    { text: 'You are welcome.' },
  ]);
  const page = new Page(server);
  const first = await page.send('Where is it?');
  expect(partsOf(first)).toEqual([
    { type: 'reasoning', text: 'Hm.', state: 'done' },
    { type: 'text', text: 'Let me look.', state: 'done' },
    expect.objectContaining({
      type: 'tool-look',
      state: 'output-available',
      input: { at: 'shelf' },
      output: { seen: 'shelf' },
    }),
    { type: 'text', text: 'It is there.', state: 'done' },
  ]);
  expect(first.id).toBe((await store.load('a'))?.run?.id);
  expect(first.metadata).toMatchObject({ outcome: 'completed', steps: 2, usage: { modelCalls: 2 } });
  await page.send('Thanks');
  expect(page.errors).toEqual([]);
  const streamed = page.messages;
  const read = await page.reload();
  expect(read.map(({ id, role }) => [id, role])).toEqual(streamed.map(({ id, role }) => [id, role]));
  expect(read.map(partsOf)).toEqual(streamed.map(partsOf));
});

test('an approval is asked for in the message, and its answer continues it', async () => {
  const script = [{ text: 'I pay.', toolCalls: [{ name: 'pay', args: { euros: 5 } }] }, { text: 'Paid.' }];
  const { server } = await serve(script);
  const page = new Page(server);
  const asked = await page.send('Buy it');
  expect(asked.parts.at(-1)).toMatchObject({ type: 'tool-pay', state: 'approval-requested' });
  // A page that is loaded anew has the question as well.
  expect(partsOf((await page.reload()).at(-1))).toEqual(partsOf(asked));
  const paid = await page.answer(true);
  expect(paid.id).toBe(asked.id);
  expect(partsOf(paid)).toEqual([
    { type: 'text', text: 'I pay.', state: 'done' },
    expect.objectContaining({
      type: 'tool-pay',
      state: 'output-available',
      output: { answer: { decision: 'approve' }, euros: 5 },
    }),
    { type: 'text', text: 'Paid.', state: 'done' },
  ]);
  expect(page.errors).toEqual([]);
});

test('several calls ask at once, and a refusal reaches its tool with the reason', async () => {
  const calls = [1, 2].map((euros) => ({ name: 'pay', args: { euros } }));
  const { server } = await serve([{ toolCalls: calls }, { text: 'Well.' }]);
  const page = new Page(server);
  await page.send('Buy both');
  const [, message] = structuredClone(page.messages);
  const [first] = message?.parts ?? [];
  if (first === undefined || !('state' in first) || first.state !== 'approval-requested')
    throw new Error('no question');
  Object.assign(first, {
    state: 'approval-responded',
    approval: { ...first.approval, approved: false, reason: 'Too dear' },
  });
  const one = await page.submit([page.messages[0], message].filter((each) => each !== undefined));
  expect(one.parts.map((part) => 'state' in part && part.state)).toEqual([
    expect.stringMatching(/^(?:input|output)-available$/),
    'approval-requested',
  ]);
  const both = await page.answer(true);
  expect(both.parts).toMatchObject([
    { output: { answer: { decision: 'reject', reason: 'Too dear' }, euros: 1 } },
    { output: { answer: { decision: 'approve' }, euros: 2 } },
    { text: 'Well.' },
  ]);
});

test('a question that is no approval is a data part, and the API answers it', async () => {
  const { server } = await serve([{ toolCalls: [{ name: 'ask' }] }, { text: 'That one.' }]);
  const page = new Page(server);
  const asked = await page.send('Choose');
  const question = asked.parts.at(-1);
  expect(question).toMatchObject({
    type: 'data-interrupt',
    data: { kind: 'question', payload: 'Which one?', answerSchema: { type: 'string' } },
  });
  const id = question !== undefined && 'id' in question ? question.id : '';
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ answer: 'left' });
  const path = `http://localhost/sessions/a/interrupts/${id}?wait=30`;
  await server.fetch(new Request(path, { method: 'POST', headers, body }));
  const [, answered] = await page.reload();
  expect(answered?.parts).toMatchObject([{ type: 'tool-ask', output: 'left' }, { text: 'That one.' }]);
  expect(await page.resume()).toBeUndefined();
});

test('a retry in the stream leaves no draft behind', async () => {
  const { server } = await serve([
    { toolCalls: [{ name: 'look', args: { at: 'shelf' } }] },
    {
      chunks: [
        { type: 'text-delta', index: 0, text: 'No' },
        { type: 'restart' },
        { type: 'text-delta', index: 0, text: 'Yes' },
      ],
    },
  ]);
  const page = new Page(server);
  const message = await page.send('Well?');
  expect(message.parts).toMatchObject([{ type: 'tool-look', state: 'output-available' }, { text: 'Yes' }]);
});

test('a failing tool is an error of its part, and a failing run one of the stream', async () => {
  const { server } = await serve([
    { toolCalls: [{ name: 'look', args: { at: 'nothing' } }] },
    { error: new Error('It is out of order.') },
  ]);
  const page = new Page(server);
  const message = await page.send('Look');
  expect(message.parts).toMatchObject([
    { type: 'tool-look', state: 'output-error', errorText: 'The tool look failed: There is nothing.' },
  ]);
  expect(page.errors).toEqual([expect.stringContaining('It is out of order.')]);
});

test('messages that differ from the session are refused, and forked where the client asks for it', async () => {
  const { server } = await serve([{ text: 'One' }, { text: 'Two' }, { text: 'Other' }]);
  const page = new Page(server);
  await page.send('First');
  await page.send('Second');
  const [first, one] = page.messages;
  if (first === undefined || one === undefined) throw new Error('there are messages');
  const edited: UIMessage = { id: 'u2', role: 'user', parts: [{ type: 'text', text: 'Another' }] };
  const differing: UIMessage[][] = [
    [edited],
    [first, one, edited],
    [
      { ...first, parts: [{ type: 'text', text: 'Forged' }] },
      ...page.messages.slice(1),
      { ...edited, id: 'u3' },
    ],
    [...page.messages, { ...edited, id: 'u3' }, one, { ...edited, id: 'u4' }],
  ];
  for (const messages of differing)
    await expect(page.submit(messages)).rejects.toThrow(/server\/HISTORY_DIFFERS/);
  const forked = await page.submit([first, one, edited], { fork: 'b' });
  expect(forked.parts).toMatchObject([{ text: 'Other' }]);
  const read = await new Page(server, 'b').reload();
  expect(read.map(({ id }) => id)).toEqual(['u1', one.id, 'u2', forked.id]);
});

test('a message that is sent again begins no second run', async () => {
  const { server, store } = await serve([{ text: 'One' }]);
  const page = new Page(server);
  const first = await page.send('First');
  const again = await page.submit(page.messages.slice(0, 1));
  expect(again).toEqual(first);
  expect((await store.load('a'))?.messages.length).toBe(2);
});
