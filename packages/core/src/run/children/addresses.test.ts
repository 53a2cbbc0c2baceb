import { expect, it } from 'vitest';

import { childrenOf, delegate, doing, makeAsk } from '../../../test/children.ts';
import { createAgent, definePlugin, memoryStore, type AgentEvent } from '../../index.ts';
import type { ChatModel } from '../../model.ts';
import type { Address } from '../../plugin.ts';

it('scopes, tools, questions, events and errors have one address, with the calls around it', async () => {
  const store = memoryStore();
  const seen: Record<string, Address> = {};
  const plugin = definePlugin({
    name: 'look',
    setup({ hooks }) {
      const tap = { name: 'look', gate: true, tree: true } as const;
      hooks.wrapToolCall.tapPromise(tap, (call, next, scope) => {
        seen[`${scope.run.agent} ${call.name}`] = scope.address;
        return next(call);
      });
      hooks.wrapModelCall.tapPromise({ name: 'look', tree: true }, (request, next, scope) => {
        seen[`${scope.run.agent} model ${scope.run.step}`] = scope.address;
        expect(scope.run.address).toEqual(scope.address);
        return next(request);
      });
    },
  })();
  const low = { model: doing('low', ['ask', { n: 1 }]) };
  const agent = await createAgent({
    name: 'root',
    model: doing('root', ['delegate', { to: 'mid' }]),
    tools: [delegate({ mid: { model: doing('mid', ['delegate', { to: 'low' }]) }, low }), makeAsk()],
    plugins: [plugin],
    store,
    log: 'silent',
  });
  const events: AgentEvent[] = [];
  const stream = agent.stream('Go', { sessionId: 's' });
  for await (const event of stream) events.push(event);
  const { interrupts, runId } = await stream.result;
  await agent.close();
  const [middle = ''] = await childrenOf(store, 's');
  const [lowest = ''] = await childrenOf(store, middle);
  const [ofMiddle, ofLowest] = [(await store.load(middle))?.run?.id, (await store.load(lowest))?.run?.id];
  const root = { agent: 'root', sessionId: 's', runId, step: 1 };
  const rootCall = { ...root, callId: 'call_0' };
  const mid = { agent: 'mid', sessionId: middle, runId: ofMiddle, step: 1, parent: rootCall };
  const low1 = {
    agent: 'low',
    sessionId: lowest,
    runId: ofLowest,
    step: 1,
    parent: { ...mid, callId: 'call_0' },
  };
  expect(seen['root model 1']).toEqual(root);
  expect(seen['root delegate']).toEqual(rootCall);
  expect(seen['mid model 1']).toEqual(mid);
  expect(seen['low ask']).toEqual({ ...low1, callId: 'call_0' });
  expect(interrupts.map(({ address }) => address)).toEqual([{ ...low1, callId: 'call_0' }]);
  const child = events.find((event) => event.type === 'child');
  expect(child?.address).toEqual(rootCall);
});

it('the error of a child names its place, and that of a run its own', async () => {
  const store = memoryStore();
  const failing = { id: 'failing', generate: () => Promise.reject(new Error('no model')) };
  const errors: unknown[] = [];
  const plugin = definePlugin({
    name: 'look',
    setup({ hooks }) {
      hooks.wrapToolCall.tapPromise('look', async (call, next) => {
        const result = await next(call);
        errors.push(result.error);
        return result;
      });
    },
  })();
  const make = (model: ReturnType<typeof doing>) =>
    createAgent({
      model,
      tools: [delegate({ mid: { model: failing } })],
      plugins: [plugin],
      store,
      log: 'silent',
    });
  await (await make(doing('root', ['delegate', { to: 'mid' }]))).run('Go', { sessionId: 's' });
  const [middle = ''] = await childrenOf(store, 's');
  expect(errors).toMatchObject([
    {
      code: 'MODEL_FAILED',
      address: { agent: 'mid', sessionId: middle, step: 1, parent: { callId: 'call_0' } },
    },
  ]);
  const alone = await createAgent({ model: failing, store, log: 'silent' });
  await expect(alone.run('Go', { sessionId: 'alone' })).rejects.toMatchObject({
    address: { agent: 'agent', sessionId: 'alone', step: 1 },
    result: { error: { address: { sessionId: 'alone' } } },
  });
});

it('a child is stopped by its own session, in the process that executes it', async () => {
  const store = memoryStore();
  const gate = Promise.withResolvers<void>();
  const looks: string[] = [];
  const ask = { ...makeAsk(), execute: async () => (looks.push('look'), await gate.promise, 'seen') };
  let asked = 0;
  const mid = doing('mid', ['ask', {}]);
  const model: ChatModel = { id: 'mid', generate: (...args) => ((asked += 1), mid.generate(...args)) };
  const agent = await createAgent({
    model: doing('root', ['delegate', { to: 'mid' }]),
    tools: [delegate({ mid: { model } }), ask],
    store,
    log: 'silent',
  });
  const running = agent.run('Go', { sessionId: 's' });
  await expect.poll(() => looks).toHaveLength(1);
  const [child = ''] = await childrenOf(store, 's');
  expect(await agent.stop(child)).toBe(true);
  gate.resolve();
  const { outcome, messages } = await running;
  expect(outcome).toBe('completed');
  expect(JSON.stringify(messages)).toContain('agent.stop ended it after step 1');
  expect(asked).toBe(1);
  await expect(agent.stop('none')).resolves.toBe(false);
});

it('a child that waits is stopped with its root only', async () => {
  const store = memoryStore();
  const agent = await createAgent({
    model: doing('root', ['delegate', { to: 'mid' }]),
    tools: [delegate({ mid: { model: doing('mid', ['ask', {}]) } }), makeAsk()],
    store,
    log: 'silent',
  });
  await agent.run('Go', { sessionId: 's' });
  const [child = ''] = await childrenOf(store, 's');
  await expect(agent.stop(child)).rejects.toMatchObject({
    code: 'SESSION_IS_CHILD',
    message: expect.stringContaining('session "s"') as string,
  });
});

it('the session of a child is named by the step, the call and the ordinal, which a later version must find again', async () => {
  const store = memoryStore();
  const agent = await createAgent({
    model: doing('root', ['delegate', { to: 'one' }], ['delegate', { to: 'two' }]),
    tools: [delegate({ one: { model: doing('one') }, two: { model: doing('two') } })],
    store,
    log: 'silent',
  });
  await agent.run('Go', { sessionId: 's' });
  const ids = await childrenOf(store, 's');
  expect(ids.map((id) => id.replace(/^child_.*?(?=(?:-\d+){3}$)/, 'child')).toSorted()).toEqual([
    'child-1-1-1',
    'child-1-2-1',
  ]);
});
