import { expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import type { Agent } from '../agent.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { ChatModel, ModelRequest, ModelResponse } from '../contract/model.ts';
import type { Plugin } from '../contract/plugin.ts';
import { defineTool, type Tool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';

const usage = { input: 1, output: 1, total: 2 };
const calling = { toolCalls: [{ name: 'add', args: {} }], usage };

function agentOf(tools: readonly Tool[], plugins: readonly Plugin[] = []): Promise<Agent> {
  const model = scriptedModel([calling, calling, { text: 'Done.', usage }]);
  return createAgent({ log: 'silent', model, tools, plugins });
}

/** The paths of the plain objects and arrays in a value that are frozen. */
function frozen(value: unknown, path = 'it'): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.entries(value).flatMap(([key, member]) => frozen(member, `${path}.${key}`));
  return Object.isFrozen(value) ? [path, ...inside] : inside;
}

it('a tool goes on with an object that it has returned', async () => {
  const cart = { items: [] as string[] };
  const add = defineTool({
    name: 'add',
    description: 'Adds.',
    input: { type: 'object' },
    execute() {
      cart.items.push('apple');
      return cart;
    },
  });
  await using agent = await agentOf([add]);
  const { messages } = await agent.run('go');
  expect(
    messages.filter(({ role }) => role === 'tool').map((message) => 'data' in message && message.data),
  ).toEqual([{ items: ['apple'] }, { items: ['apple', 'apple'] }]);
  expect(frozen(cart)).toEqual([]);
});

it('what a tool gives beside its result stays its own', async () => {
  const result = {
    content: [{ type: 'text' as const, text: 'ok' }],
    data: { a: [1] },
    metadata: { x: { b: 1 } },
  };
  const kept = { progress: { done: [1] }, yielded: { n: { a: 1 } }, once: { list: [1] }, result };
  const add = defineTool({
    name: 'add',
    description: 'Adds.',
    input: { type: 'object' },
    async *execute(_, { progress, once }) {
      await progress(kept.progress);
      yield kept.yielded;
      expect(frozen(await once('k', () => kept.once))).toEqual(['it', 'it.list']);
      return kept.result;
    },
  });
  await using agent = await agentOf([add]);
  const stream = agent.stream('go');
  const open: unknown[] = [];
  for await (const event of stream)
    if (event.type === 'tool-progress' && frozen(event.data).length < 2) open.push(event);
  expect(open).toEqual([]);
  expect((await stream.result).text).toBe('Done.');
  expect(frozen(kept)).toEqual([]);
});

it('messages that are passed to a run stay the caller’s', async () => {
  const input = [
    { role: 'user' as const, content: [{ type: 'text' as const, text: 'go', metadata: { a: { b: 1 } } }] },
    { role: 'assistant' as const, content: 'ok', metadata: { p: { q: [1] } } },
    { role: 'user' as const, content: 'more' },
  ];
  await using agent = await agentOf([]);
  await agent.run(input).catch(() => undefined);
  expect(frozen(input)).toEqual([]);
});

it('what a model answers with stays its own', async () => {
  const answer: ModelResponse = {
    message: { role: 'assistant', content: [{ type: 'text', text: 'Hi.', metadata: { a: { b: 1 } } }] },
    usage,
    finish: 'stop',
    metadata: { x: { y: 1 } },
  };
  const model: ChatModel = { id: 'm/m', generate: async () => answer };
  await using agent = await createAgent({ log: 'silent', model });
  await agent.run('go');
  expect((await agent.run('go')).text).toBe('Hi.');
  expect(frozen(answer)).toEqual([]);
});

it('what a plugin gives stays its own, and what hooks get is frozen', async () => {
  const kept = {
    state: { list: [{ a: 1 }] },
    event: { list: [1] },
    once: { list: [1] },
    message: { id: 'mine', role: 'user' as const, content: [{ type: 'text' as const, text: 'x' }] },
    metadata: { p: { q: 1 } },
    input: { at: ['x'] },
    result: { content: [{ type: 'text' as const, text: 'x' }], data: { a: [1] } },
    usage: { ...usage },
  };
  const requests: ModelRequest[] = [];
  const given: object[] = [];
  const giving = definePlugin({
    name: 'giving',
    setup({ hooks, state }) {
      const noted = state({ key: 'n', initial: () => kept.state });
      hooks.beforeAgent.tap('x', async (run) => {
        noted.set(run, kept.state);
        given.push(noted.get(run), await run.once('k', () => kept.once));
        run.event('e', kept.event);
      });
      hooks.beforeModel.tap('x', (request) => {
        if (request.messages.length > 1) return undefined;
        const mine = { ...request, messages: [...request.messages, kept.message], metadata: kept.metadata };
        requests.push(mine);
        return mine;
      });
      hooks.wrapModelCall.tap('x', async (request, next) => {
        given.push(request, request.messages.at(-1) ?? request, request.metadata ?? request);
        const mine = { ...request, settings: { temperature: 1 } };
        requests.push(mine);
        return { ...(await next(mine)), usage: kept.usage, metadata: kept.metadata };
      });
      hooks.afterModel.tap('x', (response) => void given.push(response, response.usage ?? response));
      hooks.wrapToolCall.tap('x', async (call, next) => {
        const result = await next({ ...call, input: kept.input, metadata: kept.metadata });
        given.push(result);
        return kept.result;
      });
    },
  })();
  const add = defineTool({
    name: 'add',
    description: 'Adds.',
    input: { type: 'object' },
    execute: () => 'ok',
  });
  await using agent = await agentOf([add], [giving]);
  for await (const event of agent.stream('go')) if (event.type === 'plugin') given.push(event.data as object);
  expect(frozen(kept)).toEqual([]);
  expect(requests.some((request) => Object.isFrozen(request))).toBe(false);
  expect(given.filter((each) => !Object.isFrozen(each))).toEqual([]);
});

it('what is asked, and what is answered, stays the asker’s', async () => {
  const payload = { list: [{ a: 1 }] };
  const asking = definePlugin({
    name: 'asking',
    async beforeModel(_, run) {
      await run.interrupt({ kind: 'q', payload, answer: { type: 'object' } });
    },
  })();
  await using agent = await createAgent({
    log: 'silent',
    model: scriptedModel([{ text: 'ok' }]),
    plugins: [asking],
  });
  const { interrupts } = await agent.run('go', { sessionId: 's' });
  const answer = { yes: { really: true } };
  await agent.resume('s', { [interrupts[0]?.id ?? '']: answer });
  expect(frozen({ payload, answer })).toEqual([]);
});
