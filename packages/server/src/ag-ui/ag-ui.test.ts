import { EventType, type UserMessage } from '@ag-ui/client';
import { createAgent, definePlugin, defineTool, memoryStore, type Agent } from '@shallot/core';
import type { ChatModel, Chunk } from '@shallot/core/model';
import type { Store } from '@shallot/core/store';
import { sendMessage } from '@shallot/core/work';
import { scriptedModel } from '@shallot/testing';
import { expect, onTestFinished, test } from 'vitest';

import { AgUiPage } from '../../test/ag-ui-page.ts';
import { createServer } from '../create-server.ts';
import { agUiMessages } from './messages.ts';

type Script = Parameters<typeof scriptedModel>[0];
type Tools = NonNullable<Parameters<typeof createAgent>[0]['tools']>;

interface Served {
  readonly page: AgUiPage;
  readonly url: string;
  readonly agent: Agent;
  readonly store: Store;
}

const approval = {
  type: 'object',
  properties: {
    decision: { enum: ['approve', 'reject', 'edit'] },
    reason: { type: 'string' },
    args: { type: 'object' },
  },
  required: ['decision'],
} as const;

/** A gate: it asks about calls of `pay`, and denies those of `drop`. */
const gate = definePlugin({
  name: 'gate',
  setup({ hooks }) {
    hooks.wrapToolCall.tapPromise({ name: 'gate', gate: true }, async (call, next, scope) => {
      if (call.name === 'drop')
        return { content: [], isError: true, denied: { by: 'gate', reason: 'Nothing is dropped.' } };
      if (call.name !== 'pay') return next(call);
      const answer = await scope.interrupt({
        kind: 'approval',
        payload: { message: 'Pay?' },
        answer: approval,
      });
      const { decision, args } = answer as { decision: string; args?: { euros: number } };
      if (decision === 'reject') return { content: [], isError: true, denied: { by: 'gate', reason: 'No.' } };
      return next(args === undefined ? call : { ...call, input: args });
    });
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

const [pay, drop] = ['pay', 'drop'].map((name) =>
  defineTool({
    name,
    description: 'Does it.',
    input: { type: 'object', properties: { euros: { type: 'number' } } },
    execute: ({ euros }) => ({ paid: euros }),
  }),
);

const ask = defineTool({
  name: 'ask',
  description: 'Asks.',
  input: { type: 'object', properties: {} },
  execute: (_, { interrupt }) =>
    interrupt({ kind: 'question', payload: 'Which one?', answer: { type: 'string' } }),
});

async function serve(
  script: Script,
  { tools = [], before }: { tools?: Tools; before?: (chunk: Chunk) => Promise<void> | undefined } = {},
): Promise<Served> {
  const store = memoryStore();
  const scripted = scriptedModel(script);
  const model: ChatModel = {
    id: scripted.id,
    generate: (request, { signal, wantsChunks, emit, ...call }) =>
      scripted.generate(request, {
        ...call,
        signal,
        wantsChunks,
        emit: async (chunk) => {
          await before?.(chunk);
          await emit(chunk);
        },
      }),
  };
  const agent = await createAgent({
    name: 'shop',
    model,
    store,
    plugins: [gate()],
    tools: [look, ask, ...[pay, drop].flatMap((tool) => tool ?? []), ...tools],
  });
  const server = createServer({ agent, store });
  onTestFinished(async () => {
    await server.close();
    await agent.close();
  });
  const { page, url } = await AgUiPage.open(server, onTestFinished);
  return { page, url, agent, store };
}

/** The messages of a page are those of the store, and a page that is loaded anew gets the same. */
async function expectStored({ page, url, store }: Pick<Served, 'page' | 'url' | 'store'>): Promise<void> {
  const { messages } = (await store.load('a')) ?? { messages: [] };
  expect(page.messages).toEqual(agUiMessages(messages));
  const late = new AgUiPage(url);
  await late.run();
  expect(late.messages).toEqual(page.messages);
}

/** A promise that is resolved by the next event of a type. */
function whenSeen({ agent }: AgUiPage, type: EventType): Promise<void> {
  const seen = Promise.withResolvers<void>();
  agent.subscribe({ onEvent: ({ event }) => void (event.type === type && seen.resolve()) });
  return seen.promise;
}

test('parallel calls, reasoning and results are streamed as messages, and read again alike', async () => {
  const served = await serve([
    {
      reasoning: 'Hm.',
      text: 'Let me look.',
      toolCalls: [
        { name: 'look', args: { at: 'shelf' } },
        { name: 'look', args: { at: 'nothing' } },
        { name: 'drop' },
      ],
      usage: { input: 10, output: 5, total: 15, reasoning: 2 },
    },
    { text: 'It is there.', usage: { input: 20, output: 5, total: 25 } },
    { text: 'You are welcome.' },
  ]);
  const { page } = served;
  await page.send('Where is it?');
  expect(page.messages).toMatchObject([
    { id: 'u1', role: 'user', content: 'Where is it?' },
    { role: 'reasoning', content: 'Hm.' },
    {
      role: 'assistant',
      content: 'Let me look.',
      toolCalls: [
        { function: { name: 'look', arguments: '{"at":"shelf"}' } },
        { function: { name: 'look' } },
        { function: { name: 'drop' } },
      ],
    },
    { role: 'tool', content: '{"seen":"shelf"}' },
    { role: 'tool', content: 'The tool look failed: There is nothing.', metadata: { isError: true } },
    { role: 'tool', metadata: { denied: { by: 'gate', reason: 'Nothing is dropped.' } } },
    { role: 'assistant', content: 'It is there.' },
  ]);
  expect(page.types).toEqual(expect.arrayContaining(['STEP_STARTED', 'STEP_FINISHED', 'REASONING_START']));
  expect(page.events.at(-1)).toMatchObject({
    type: 'RUN_FINISHED',
    outcome: { type: 'success' },
    usage: [{ inputTokens: 30, outputTokens: 10, totalTokens: 40, reasoningTokens: 2 }],
    metadata: { outcome: 'completed', stopReason: 'answer', steps: 2 },
  });
  await page.send('Thanks');
  expect(page.types).not.toContain('MESSAGES_SNAPSHOT');
  await expectStored(served);
});

test('a draft that was taken back, and its reasoning, are mended by a snapshot', async () => {
  const shown = Promise.withResolvers<void>();
  const served = await serve(
    [
      {
        chunks: [
          { type: 'reasoning-delta', index: 0, text: 'Wrong.' },
          { type: 'text-delta', index: 1, text: 'It is not' },
          { type: 'tool-call-delta', index: 2, id: 'c', name: 'look', text: '{"at' },
          { type: 'restart' },
          'It is there.',
        ],
      },
    ],
    { before: (chunk) => (chunk.type === 'restart' ? shown.promise : undefined) },
  );
  const { page } = served;
  void whenSeen(page, EventType.TOOL_CALL_ARGS).then(() => shown.resolve());
  await page.send('Where?');
  expect(page.types).toEqual(
    expect.arrayContaining(['REASONING_MESSAGE_CONTENT', 'TEXT_MESSAGE_CONTENT', 'MESSAGES_SNAPSHOT']),
  );
  expect(page.messages).toMatchObject([{ id: 'u1' }, { role: 'assistant', content: 'It is there.' }]);
  await expectStored(served);
});

test('questions are the outcome, and resume answers all of them', async () => {
  const served = await serve([
    {
      text: 'I ask.',
      toolCalls: [{ name: 'pay', args: { euros: 5 } }, { name: 'ask' }],
      usage: { input: 1, output: 1, total: 2 },
    },
    { text: 'Done.', usage: { input: 3, output: 1, total: 4 } },
  ]);
  const { page } = served;
  await page.send('Buy it');
  expect(page.open).toMatchObject([
    {
      reason: 'approval',
      message: 'Pay?',
      toolCallId: 'call_1',
      responseSchema: approval,
      metadata: { plugin: 'gate', call: { name: 'pay', input: { euros: 5 } } },
    },
    { reason: 'question', message: 'Which one?', toolCallId: 'call_2', responseSchema: { type: 'string' } },
  ]);
  const [first, second] = page.open.map(({ id }) => id);
  await expect(page.run()).rejects.toThrow(/pending interrupt/);
  // A page that is loaded anew has the questions as well, and this client asks for answers to both.
  const late = new AgUiPage(served.url);
  await late.run();
  expect(late.open).toEqual(page.open);
  await late.run({
    resume: [
      { interruptId: first ?? '', status: 'resolved', payload: { decision: 'edit', args: { euros: 4 } } },
      { interruptId: second ?? '', status: 'resolved', payload: 'That one' },
    ],
  });
  expect(late.open).toEqual([]);
  expect(late.events.at(-1)).toMatchObject({ outcome: { type: 'success' }, usage: [{ totalTokens: 4 }] });
  expect(late.messages).toMatchObject([
    { role: 'user', content: 'Buy it' },
    {
      role: 'assistant',
      toolCalls: [{ function: { name: 'pay', arguments: '{"euros":4}' } }, { function: { name: 'ask' } }],
    },
    { role: 'tool', content: '{"paid":4}' },
    { role: 'tool', content: 'That one' },
    { role: 'assistant', content: 'Done.' },
  ]);
  await expectStored({ ...served, page: late });
});

test('a cancelled question is refused where its schema can, else it stays open', async () => {
  const { page } = await serve([
    { toolCalls: [{ name: 'pay', args: { euros: 5 } }, { name: 'ask' }] },
    { text: 'Done.' },
  ]);
  await page.send('Buy it');
  const cancelled = page.open.map(({ id }) => ({ interruptId: id, status: 'cancelled' }) as const);
  const [, asked] = page.open;
  await page.run({ resume: cancelled });
  expect(page.open).toEqual([asked]);
  await page.run({ resume: cancelled.slice(1) });
  expect(page.open).toEqual([asked]);
  await page.run({ resume: [{ interruptId: asked?.id ?? '', status: 'resolved', payload: 'This' }] });
  expect(page.messages.slice(-3)).toMatchObject([
    { role: 'tool', metadata: { denied: { reason: 'No.' } } },
    { role: 'tool', content: 'This' },
    { content: 'Done.' },
  ]);
});

test('a message that comes with the answers, or in the middle, is one of the run', async () => {
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
  const served = await serve(
    [
      { toolCalls: [{ name: 'pay', args: { euros: 5 } }] },
      { text: 'I wait.', toolCalls: [{ name: 'wait' }] },
      { text: 'Done.' },
      { text: 'Yes.' },
    ],
    { tools: [wait] },
  );
  const { page, store, url } = served;
  await page.send('Buy it');
  const [{ id } = { id: '' }] = page.open;
  const answered = page.send('And quickly', {
    resume: [{ interruptId: id, status: 'resolved', payload: { decision: 'approve' } }],
  });
  await began.promise;
  await sendMessage(store, 'a', { role: 'user', content: 'And more' });
  const picture = [
    { type: 'file', mediaType: 'image/png', data: 'aGk=', name: 'hi.png' },
    { type: 'text', text: 'Like this' },
  ] as const;
  await sendMessage(store, 'a', { role: 'user', content: picture });
  const late = new AgUiPage(url);
  const following = late.run();
  release.resolve();
  await Promise.all([answered, following]);
  expect(page.messages.map((message) => [message.role, (message as UserMessage).content])).toEqual([
    ['user', 'Buy it'],
    ['assistant', undefined],
    ['tool', '{"paid":5}'],
    ['user', 'And quickly'],
    ['assistant', 'I wait.'],
    ['tool', 'over'],
    ['user', 'And more'],
    [
      'user',
      [
        {
          type: 'image',
          source: { type: 'data', value: 'aGk=', mimeType: 'image/png' },
          metadata: { filename: 'hi.png' },
        },
        { type: 'text', text: 'Like this' },
      ],
    ],
    ['assistant', 'Done.'],
  ]);
  expect(late.messages).toEqual(page.messages);
  await page.send('Is it so?');
  expect(page.types).not.toContain('MESSAGES_SNAPSHOT');
  await expectStored(served);
});

test('citations, sources and files are metadata, and calls of the provider are calls', async () => {
  const source = { id: 's1', url: 'https://example.org/', title: 'Example' };
  const served = await serve([
    {
      chunks: [
        { type: 'text-delta', index: 0, text: 'So: ' },
        {
          type: 'part-end',
          index: 1,
          part: { type: 'provider-call', id: 'p1', name: 'web_search', input: { q: 'x' } },
        },
        {
          type: 'part-end',
          index: 2,
          part: { type: 'provider-result', callId: 'p1', name: 'web_search', result: ['found'] },
        },
        { type: 'part-end', index: 3, part: { type: 'source', ...source } },
        { type: 'text-delta', index: 4, text: 'Yes' },
        {
          type: 'part-end',
          index: 4,
          part: { type: 'text', text: 'Yes', citations: [{ source, start: 0, end: 3, quote: 'Yes' }] },
        },
        { type: 'part-end', index: 5, part: { type: 'file', mediaType: 'image/png', data: 'aGk=' } },
      ],
    },
  ]);
  const { page } = served;
  await page.send('Is it so?');
  expect(page.messages).toMatchObject([
    {},
    {
      content: 'So: Yes',
      toolCalls: [
        { function: { name: 'web_search', arguments: '{"q":"x"}' }, metadata: { providerExecuted: true } },
      ],
      metadata: {
        citations: [{ source, start: 4, end: 7, quote: 'Yes' }],
        sources: [source],
        files: [{ mediaType: 'image/png', data: 'aGk=' }],
      },
    },
    { role: 'tool', toolCallId: 'p1', content: '["found"]' },
  ]);
  await expectStored(served);
});

test('a failed run ends with its error, and a stopped one is cancelled', async () => {
  const stalled = Promise.withResolvers<void>();
  const served = await serve(
    [
      { error: new Error('no credit') },
      { text: 'Again.', toolCalls: [{ name: 'look', args: { at: 'x' } }] },
      { text: 'Never.' },
    ],
    { before: (chunk) => (chunk.type === 'tool-call-delta' ? stalled.promise : undefined) },
  );
  const { page, agent } = served;
  await page.send('Try');
  expect(page.events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'MODEL_FAILED' });
  void whenSeen(page, EventType.TEXT_MESSAGE_CONTENT).then(async () => {
    await agent.stop('a');
    stalled.resolve();
  });
  await page.send('Try again');
  expect(page.events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
  await expectStored(served);
});

test('a child is a subagent, suspended while it asks', async () => {
  const model = scriptedModel([{ text: 'I read.', toolCalls: [{ name: 'ask_later' }] }, { text: 'Read.' }]);
  const [started, seen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const askLater = defineTool({
    name: 'ask_later',
    description: 'Asks, once the page has seen who asks.',
    input: { type: 'object', properties: {} },
    async execute(_, { interrupt }) {
      await started.promise;
      return interrupt({ kind: 'question', payload: {}, answer: { type: 'string' } });
    },
  });
  const delegate = defineTool({
    name: 'delegate',
    description: 'Delegates.',
    input: { type: 'object', properties: {} },
    async execute(_, { child }) {
      const { text } = await child({
        agent: { name: 'reader', model, tools: ['ask_later'] },
        prompt: 'Read',
      });
      // The page has the end of the child before the result is committed.
      await seen.promise;
      return text;
    },
  });
  const served = await serve([{ toolCalls: [{ name: 'delegate' }] }, { text: 'Done.' }], {
    tools: [delegate, askLater],
  });
  const { page } = served;
  void whenSeen(page, EventType.SUBAGENT_STARTED).then(() => started.resolve());
  await page.send('Go');
  expect(page.events.find(({ type }) => type === EventType.SUBAGENT_STARTED)).toMatchObject({
    name: 'reader',
    parentToolCallId: 'call_1',
  });
  expect(page.events).toContainEqual(
    expect.objectContaining({ type: 'SUBAGENT_FINISHED', outcome: { type: 'suspended' } }),
  );
  expect(page.open).toMatchObject([{ reason: 'question', toolCallId: 'call_1' }]);
  void whenSeen(page, EventType.SUBAGENT_FINISHED).then(() => seen.resolve());
  const [{ id } = { id: '' }] = page.open;
  await page.run({ resume: [{ interruptId: id, status: 'resolved', payload: 'This' }] });
  expect(page.types).toEqual(expect.arrayContaining(['SUBAGENT_STARTED', 'CUSTOM', 'SUBAGENT_FINISHED']));
  expect(page.messages.slice(-2)).toMatchObject([{ role: 'tool', content: 'Read.' }, { content: 'Done.' }]);
  await expectStored(served);
});
