import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { expect, it } from 'vitest';

import { childrenOf, delegate, doing } from '../../../test/children.ts';
import type { ChildAgent } from '../../contract/work/child.ts';
import { memoryFiles } from '../../files/index.ts';
import { composeChains } from '../../hooks/chains.ts';
import { createAgent, definePlugin, memoryStore, textOf, type Tool } from '../../index.ts';
import type { ChatModel, ModelRequest } from '../../model.ts';
import { sharedSessions } from '../../sessions/live/session-cache.ts';
import { sqliteStore } from '../../sqlite/index.ts';

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

it('a run that goes on keeps nothing of its ended children alive but their results', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const ofChildren: WeakRef<object>[] = [];
  const reader = doing('reader');
  const seen: ChatModel = {
    id: 'reader',
    generate: (request, context) => {
      ofChildren.push(new WeakRef(request), ...request.messages.map((message) => new WeakRef(message)));
      return reader.generate(request, context);
    },
  };
  const calls = Array.from({ length: 20 }, () => ['delegate', { to: 'reader' }] as const);
  const root = doing('root', ...calls);
  let alive: unknown;
  const model: ChatModel = {
    id: 'root',
    async generate(request, context) {
      if (request.messages.at(-1)?.role === 'tool') {
        // Sessions that have just ended are kept for their next run, whoever began them.
        sharedSessions.clear();
        await turn();
        collect();
        alive = ofChildren.filter((each) => each.deref() !== undefined).length;
      }
      return root.generate(request, context);
    },
  };
  const folder = await mkdtemp(join(tmpdir(), 'shallot-retained-'));
  await using store = {
    ...sqliteStore(join(folder, 'sessions.db')),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
  const agent = await createAgent({
    model,
    tools: [delegate({ reader: { model: seen } })],
    store,
    log: 'silent',
  });
  await agent.run('Go', { sessionId: 's' });
  await agent.close();
  await store.close();
  expect(ofChildren).toHaveLength(40);
  expect(alive).toBe(0);
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

it('a child that its call has left running is aborted, and its usage counted once', async () => {
  const [began, aborted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const make = (name: string, execute: Tool['execute']): Tool => ({ ...delegate({}), name, execute });
  const low = { name: 'low', model: doing('low', ['work', {}]) };
  const agent = await createAgent({
    model: doing('root', ['leave', {}], ['wait', {}]),
    tools: [
      make('leave', async (_, { child }) => {
        void child({ agent: low, prompt: 'Go' }).catch(() => {});
        await began.promise;
        return 'left';
      }),
      make('work', (_, { signal }) => {
        signal.addEventListener('abort', () => aborted.resolve());
        began.resolve();
        return new Promise(() => {});
      }),
      make('wait', async () => {
        await aborted.promise;
        await turn();
        return 'over';
      }),
    ],
    store: memoryStore(),
    log: 'silent',
  });
  const { usage } = await agent.run('Go', { sessionId: 's' });
  await agent.close();
  expect(usage.modelCalls).toBe(2 + 1);
});

it('the tools of a definition are chosen once for the children of a step', async () => {
  let reads = 0;
  const reader: ChildAgent = {
    name: 'reader',
    model: doing('reader'),
    get tools() {
      reads += 1;
      return [];
    },
  };
  const calls = Array.from({ length: 5 }, () => ['read', {}] as const);
  const agent = await createAgent({
    model: doing('root', ...calls),
    tools: [
      {
        ...delegate({}),
        name: 'read',
        execute: async (_, { child }) => (await child({ agent: reader, prompt: 'Read.' })).text,
      },
    ],
    log: 'silent',
  });
  await agent.run('Go');
  await agent.close();
  // Once for the tools, and once for the digest of the definition.
  expect(reads).toBe(2);
});
