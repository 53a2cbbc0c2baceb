import { describe, expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import { textOf, toolCallsOf, type Message, type MessageInput } from '../contract/messages.ts';
import type { ChatModel } from '../contract/model.ts';
import type { Plugin } from '../contract/plugin.ts';
import { createAgent } from '../create-agent.ts';

const ids = (messages: readonly Message[] = []): string[] => messages.map(({ id }) => id);
const unique = (messages: readonly Message[] = []): boolean =>
  new Set(ids(messages)).size === messages.length;

/** A model whose answers all have one id. */
function constant(): ChatModel {
  let answers = 0;
  return {
    id: 'm/m',
    generate: async () => ({
      message: { id: 'm1', role: 'assistant', content: [{ type: 'text', text: `answer ${(answers += 1)}` }] },
      finish: 'stop',
    }),
  };
}

async function messagesOf(plugin: Plugin, runs = 1): Promise<readonly Message[]> {
  const model = scriptedModel(Array.from({ length: runs }, () => ({ text: 'ok' })));
  await using agent = await createAgent({ log: 'silent', model, plugins: [plugin] });
  for (let run = 0; run < runs; run += 1) await agent.run('go', { sessionId: 's' });
  return (await agent.session('s'))?.messages ?? [];
}

describe('an id that the session has already is replaced', () => {
  it('of answers of a model, the first apart, also when the first was replaced', async () => {
    const cut = definePlugin({
      name: 'cut',
      beforeModel: (request) => ({ ...request, messages: request.messages.slice(-3) }),
    })();
    for (const plugins of [[], [cut]]) {
      await using agent = await createAgent({ log: 'silent', model: constant(), plugins });
      const seen: string[] = [];
      for (let turn = 0; turn < 6; turn += 1) {
        const { messages } = await agent.run('go', { sessionId: 's' });
        seen.push(...ids(messages));
      }
      expect(seen.filter((id) => id === 'm1')).toHaveLength(1);
      expect(new Set(seen).size).toBe(12);
    }
  });

  it('of an answer that a layer has asked for again', async () => {
    const twice = definePlugin({
      name: 'twice',
      async wrapModelCall(request, next) {
        const [first, second] = [await next(request), await next(request)];
        expect([first.message.id, second.message.id === 'm1']).toEqual(['m1', false]);
        return second;
      },
    })();
    await using agent = await createAgent({ log: 'silent', model: constant(), plugins: [twice] });
    expect((await agent.run('go')).text).toBe('answer 2');
  });

  it.each([2, 150])('of %d messages of an input', async (length) => {
    await using agent = await createAgent({
      log: 'silent',
      model: scriptedModel([{ text: 'ok' }, { text: 'ok' }]),
    });
    const input = Array.from({ length }, () => ({ id: 'x', role: 'user' as const, content: 'go' }));
    const { messages } = await agent.run([...input, { role: 'user', content: 'more' }]);
    expect(messages[0]?.id).toBe('x');
    expect(unique(messages)).toBe(true);
    const again = await agent.run([...messages, { id: 'x', role: 'user', content: 'more' }]);
    expect(ids(again.messages).slice(0, messages.length)).toEqual(ids(messages));
    expect(unique(again.messages)).toBe(true);
  });

  it('of a history that is passed into the session that has it', async () => {
    await using agent = await createAgent({
      log: 'silent',
      model: scriptedModel([{ text: 'one' }, { text: 'two' }]),
    });
    const { messages } = await agent.run('go', { sessionId: 's' });
    await agent.run([...messages, { role: 'user', content: 'more' }], { sessionId: 's' });
    const stored = (await agent.session('s'))?.messages;
    expect(stored?.map(textOf)).toEqual(['go', 'one', 'go', 'one', 'more', 'two']);
    expect(unique(stored)).toBe(true);
  });

  it('of messages that hooks add, repeat or end with', async () => {
    const adding = definePlugin({
      name: 'adding',
      beforeModel: ({ messages, ...request }) => {
        const mine = { id: 'mine', role: 'user' as const, content: [{ type: 'text' as const, text: 'x' }] };
        return { ...request, messages: [...messages, mine, ...messages.slice(0, 1), mine] };
      },
      afterModel: (response) => ({ ...response, message: { ...response.message, id: 'mine' } }),
      beforeAgent: (run) => run.setInput([{ id: 'mine', role: 'user', content: 'go' }]),
    })();
    const stored = await messagesOf(adding, 2);
    expect(stored).toHaveLength(10);
    expect(unique(stored)).toBe(true);
    const ending = definePlugin({
      name: 'ending',
      beforeModel: (_, run) => run.end({ id: 'end', role: 'assistant', content: 'no' }),
    })();
    const ended = await messagesOf(ending, 2);
    expect(ended.map(textOf)).toEqual(['go', 'no', 'go', 'no']);
    expect(unique(ended)).toBe(true);
  });
});

it('an id of a call that another call has is replaced in added messages, and in its result', async () => {
  const call = { type: 'tool-call' as const, id: 'k', name: 'w', input: {} };
  const history = (result: string): MessageInput[] => [
    { role: 'assistant', content: [call] },
    { role: 'tool', callId: 'k', name: 'w', content: result },
    { role: 'user', content: 'more' },
  ];
  const again = definePlugin({
    name: 'again',
    afterModel: (_, run) => (run.step === 1 ? run.again(history('again')) : undefined),
  })();
  const model = scriptedModel(Array.from({ length: 4 }, () => ({ text: 'ok' })));
  await using agent = await createAgent({ log: 'silent', model, plugins: [again] });
  await agent.run([...history('first'), ...history('second')], { sessionId: 's' });
  await agent.run(history('next run'), { sessionId: 's' });
  const { messages = [] } = (await agent.session('s')) ?? {};
  const calls = messages.flatMap(toolCallsOf).map(({ id }) => id);
  const results = messages.filter((message) => message.role === 'tool');
  expect(new Set(calls).size).toBe(5);
  expect(results.map(({ callId }) => callId)).toEqual(calls);
  expect(results.map(textOf)).toEqual(['first', 'second', 'again', 'next run', 'again']);
});

it('messages that a hook leaves, moves or edits keep their ids', async () => {
  const seen: string[][] = [];
  const editing = definePlugin({
    name: 'editing',
    beforeModel(request) {
      const edited = request.messages.map((message) =>
        message.role === 'user'
          ? { ...message, content: [{ type: 'text' as const, text: 'edited' }] }
          : message,
      );
      seen.push(ids(request.messages));
      return { ...request, messages: edited.toReversed().toReversed() };
    },
  })();
  const stored = await messagesOf(editing, 3);
  expect(ids(stored).slice(0, -1)).toEqual(seen.at(-1));
});

it('a request without messages is blamed on the layer that passed it on', async () => {
  for (const hook of ['beforeModel', 'wrapModelCall'] as const) {
    const emptying = definePlugin({
      name: 'emptying',
      setup({ hooks }) {
        if (hook === 'beforeModel') hooks.beforeModel.tap('x', (request) => ({ ...request, messages: [] }));
        else hooks.wrapModelCall.tap('x', (request, next) => next({ ...request, messages: [] }));
      },
    })();
    await expect(messagesOf(emptying)).rejects.toMatchObject({
      code: 'HOOK_RESULT',
      plugin: 'emptying',
      hook,
    });
  }
});
