import { expect, it } from 'vitest';

import { childrenOf, delegate, doing } from '../../../test/children.ts';
import { memoryFiles } from '../../files/index.ts';
import { composeChains } from '../../hooks/chains.ts';
import { createAgent, definePlugin, memoryStore, textOf } from '../../index.ts';
import type { ChatModel, ModelRequest } from '../../model.ts';

it('with ten plugins nothing is set up or started for a child, and its tools are the same objects', async () => {
  const counts = { setups: 0, starts: 0, calls: 0 };
  const plugins = Array.from({ length: 10 }, (_, index) =>
    definePlugin({
      name: `plugin-${index}`,
      setup({ hooks, onStart }) {
        counts.setups += 1;
        onStart(() => void (counts.starts += 1));
        hooks.wrapToolCall.tapPromise({ name: 'gate', gate: true }, (call, next) => next(call));
        hooks.wrapModelCall.tapPromise({ name: 'layer', tree: true }, (request, next) => {
          counts.calls += 1;
          return next(request);
        });
      },
    })(),
  );
  const agent = await createAgent({
    model: doing('root', ...Array.from({ length: 5 }, () => ['delegate', { to: 'reader' }] as const)),
    tools: [delegate({ reader: { model: doing('reader') } })],
    plugins,
    log: 'silent',
  });
  await agent.run('Go');
  await agent.close();
  // Ten layers around the two calls of the root, and around the one of each child.
  expect(counts).toEqual({ setups: 10, starts: 10, calls: 10 * (2 + 5) });
});

it('the hooks of children are composed once for each list of plugins', () => {
  const chains = composeChains([]);
  const first = chains.forChildren(['a', 'b']);
  expect(chains.forChildren(['b', 'a'])).toBe(first);
  expect(chains.forChildren([])).not.toBe(first);
  expect(first.forChildren([])).toBe(first.forChildren([]));
});

it("the requests and messages of a run hold nothing of a child's but its result", async () => {
  const secret = 'what only the child has read';
  const requests: ModelRequest[] = [];
  const model = doing('root', ['delegate', { to: 'reader' }]);
  const watched: ChatModel = {
    id: 'root',
    generate: (request, context) => (requests.push(request), model.generate(request, context)),
  };
  const store = memoryStore();
  const reader = doing('reader', ['read', {}]);
  const agent = await createAgent({
    model: watched,
    tools: [
      delegate({ reader: { model: reader, instructions: `Read ${secret}.` } }),
      { ...delegate({}), name: 'read', execute: () => secret },
    ],
    store,
    log: 'silent',
  });
  const { messages } = await agent.run('Go', { sessionId: 's' });
  expect(JSON.stringify([requests, messages, await store.load('s')])).not.toContain(secret);
  const [child = ''] = await childrenOf(store, 's');
  expect(JSON.stringify(await store.load(child))).toContain(secret);
  await agent.close();
});

it('a result of 50 MB becomes a file of the session, and the run gets its head and tail', async () => {
  const files = memoryFiles();
  const text = `Begin ${'x'.repeat(50 * 1024 * 1024)} end`;
  const reader: ChatModel = {
    id: 'reader',
    generate: async () => ({
      message: { role: 'assistant', content: [{ type: 'text', text }] },
      finish: 'stop',
    }),
  };
  const agent = await createAgent({
    model: doing('root', ['delegate', { to: 'reader' }]),
    tools: [delegate({ reader: { model: reader } })],
    store: memoryStore(),
    files,
    log: 'silent',
  });
  const { messages } = await agent.run('Go', { sessionId: 's' });
  await agent.close();
  const result = messages.find(({ role }) => role === 'tool');
  const shown = result === undefined ? '' : textOf(result);
  expect(shown.length).toBeLessThan(100_000);
  expect(shown).toMatch(/^Begin x[^]*x end/);
});

it('a child that never ends ends with its run, and one that never stops calling tools at its last step', async () => {
  const controller = new AbortController();
  const began = Promise.withResolvers<void>();
  const silent: ChatModel = {
    id: 'silent',
    generate: () => (began.resolve(), new Promise(() => {})),
  };
  const busy: ChatModel = {
    id: 'busy',
    generate: async ({ messages }) => ({
      message: {
        role: 'assistant',
        content: [{ type: 'tool-call', id: `c${messages.length}`, name: 'read', input: {} }],
      },
      finish: 'tool-calls',
    }),
  };
  const make = (model: ChatModel) =>
    createAgent({
      model: doing('root', ['delegate', { to: 'reader' }]),
      tools: [
        delegate({ reader: { model, maxSteps: 3, tools: ['read'] } }),
        { ...delegate({}), name: 'read', execute: () => 'more' },
      ],
      store: memoryStore(),
      log: 'silent',
    });
  const hanging = (await make(silent)).run('Go', { sessionId: 's', signal: controller.signal });
  await began.promise;
  controller.abort();
  await expect(hanging).rejects.toMatchObject({ code: 'RUN_ABORTED' });
  const result = await (await make(busy)).run('Go', { sessionId: 's' });
  expect(result).toMatchObject({ outcome: 'completed', usage: { modelCalls: 2 + 3 } });
});
