import { createAgent, defineTool, memoryStore } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type ChatState,
  type UIMessage,
} from 'ai';
import { expect, onTestFinished, test } from 'vitest';

import { createServer, type AgentServer } from '../create-server.ts';

/** The chat behind `useChat`, with its state outside of any framework. */
class Chat extends AbstractChat<UIMessage> {
  constructor(server: AgentServer, onData: (type: string) => void = () => undefined) {
    const state: ChatState<UIMessage> = {
      status: 'ready',
      error: undefined,
      messages: [],
      pushMessage: (message) => void (state.messages = [...state.messages, message]),
      popMessage: () => void (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (index, message) => void (state.messages = state.messages.with(index, message)),
      snapshot: (value) => structuredClone(value),
    };
    const transport = new DefaultChatTransport<UIMessage>({
      api: 'http://localhost/chat',
      fetch: (url, init) => server.fetch(new Request(url instanceof Request ? url.url : url, init)),
    });
    super({
      id: 'a',
      state,
      transport,
      onData: ({ type }) => onData(type),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
  }
}

test('the chat of the AI SDK asks, sends answers by itself, and ends with one message for the run', async () => {
  const shown = Promise.withResolvers<string>();
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object', properties: { euros: { type: 'number' } } },
    async execute({ euros }, { interrupt, progress }) {
      const answer = { type: 'object', properties: { decision: { enum: ['approve', 'reject'] } } } as const;
      await interrupt({ kind: 'approval', payload: {}, answer });
      await progress({ share: 0.5 });
      // The page has it before the result is committed.
      await shown.promise;
      return { euros };
    },
  });
  const store = memoryStore();
  const calls = [1, 2].map((euros) => ({ name: 'pay', args: { euros } }));
  const model = scriptedModel([
    { text: 'Both?', toolCalls: calls },
    { chunks: [{ type: 'text-delta', index: 0, text: 'Pai' }, { type: 'restart' }, 'Paid.'] },
  ]);
  const agent = await createAgent({ name: 'shop', model, store, tools: [pay] });
  const server = createServer({ agent, store });
  onTestFinished(async () => {
    await server.close();
    await agent.close();
  });
  const chat = new Chat(server, shown.resolve);
  await chat.sendMessage({ text: 'Buy both' });
  expect(chat.status).toBe('ready');
  const asked = chat.lastMessage;
  for (const part of asked?.parts ?? [])
    if ('state' in part && part.state === 'approval-requested')
      await chat.addToolApprovalResponse({ id: part.approval.id, approved: true });
  await expect.poll(() => chat.lastMessage?.parts.at(-1)).toMatchObject({ text: 'Paid.', state: 'done' });
  await expect.poll(() => chat.status).toBe('ready');
  expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(chat.lastMessage?.id).toBe(asked?.id);
  expect(chat.lastMessage?.parts).toMatchObject([
    { text: 'Both?' },
    { state: 'output-available', output: { euros: 1 } },
    { state: 'output-available', output: { euros: 2 } },
    { text: 'Paid.' },
  ]);
  expect(await shown.promise).toBe('data-tool-progress');
  expect(chat.error).toBeUndefined();
});

test('a server that closes tells the page, which resumes the stream at the next one', async () => {
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
  let server = first;
  const chat = new Chat({ ...first, fetch: (request) => server.fetch(request) });
  const sent = chat.sendMessage({ text: 'Wait' });
  await began.promise;
  const closing = first.close();
  release.resolve();
  await closing;
  await sent;
  expect(chat.error?.message).toMatch(/Resume the stream/);
  server = createServer({ agent, store });
  onTestFinished(async () => {
    await server.close();
    await agent.close();
  });
  await chat.resumeStream();
  expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(chat.lastMessage?.parts).toMatchObject([
    { text: 'I wait.' },
    { type: 'tool-wait', output: 'over' },
    { text: 'Done.' },
  ]);
});
