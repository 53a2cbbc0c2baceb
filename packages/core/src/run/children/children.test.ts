import { describe, expect, it } from 'vitest';

import { childrenOf, delegate, doing, makeAsk } from '../../../test/children.ts';
import { createAgent, definePlugin, defineTool, memoryStore } from '../../index.ts';
import { answerInterrupts, pendingInterrupts } from '../../work.ts';

describe('a child run', () => {
  it('has a session of its own, and its usage counts', async () => {
    const store = memoryStore();
    const agent = await createAgent({
      model: doing('root', ['delegate', { to: 'reader' }]),
      tools: [delegate({ reader: { model: doing('reader') } })],
      store,
      log: 'silent',
    });
    const result = await agent.run('Go', { sessionId: 's' });
    expect(result.messages[2]).toMatchObject({ role: 'tool', content: [{ text: 'reader is done.' }] });
    expect(result.usage).toEqual({ input: 30, output: 3, total: 33, modelCalls: 3 });
    const [child = '', ...others] = await childrenOf(store, 's');
    expect(others).toEqual([]);
    expect(await store.load(child)).toMatchObject({
      messages: [{ content: [{ text: 'Do the work of reader.' }] }, { role: 'assistant' }],
      about: { parent: 's', root: 's' },
      run: { status: 'completed', parent: { sessionId: 's', runId: result.runId, step: 1 } },
    });
    await expect(agent.run('More', { sessionId: child })).rejects.toMatchObject({ code: 'SESSION_IS_CHILD' });
    await agent.deleteSession('s');
    expect(await store.load(child)).toBeUndefined();
  });

  it('whose last word is the result of a tool has no output, also when its call is executed again', async () => {
    const tell = defineTool({
      name: 'tell',
      description: 'Tells.',
      input: { type: 'object' },
      returnDirectly: true,
      execute: () => '{"a":1}',
    });
    const outputs: unknown[] = [];
    const begin = defineTool({
      name: 'begin',
      description: 'Begins a child, and asks about it.',
      input: { type: 'object' },
      effect: 'idempotent',
      async execute(_, { child, interrupt }) {
        const reader = { name: 'reader', model: doing('reader', ['tell', {}]), output: { type: 'object' } };
        const { text, output } = await child({ agent: reader, prompt: 'Tell.' });
        outputs.push([text, output]);
        return interrupt({ kind: 'question', payload: text, answer: { type: 'string' } });
      },
    });
    const model = doing('root', ['begin', {}]);
    await using agent = await createAgent({ model, tools: [begin, tell], log: 'silent' });
    const { interrupts } = await agent.run('Go', { sessionId: 's' });
    await agent.resume('s', { [interrupts[0]?.id ?? '']: 'good' });
    expect(outputs).toEqual([
      ['{"a":1}', undefined],
      ['{"a":1}', undefined],
    ]);
  });

  it('asks as its parent, over three levels, and is answered one by one in other processes', async () => {
    const store = memoryStore();
    const done: unknown[] = [];
    const makeAgent = () => {
      const low = { model: doing('low', ['ask', { n: 1 }], ['ask', { n: 2 }]) };
      const mid = { model: doing('mid', ['delegate', { to: 'low' }], ['ask', { n: 3 }]) };
      const model = doing('root', ['delegate', { to: 'mid' }], ['ask', { n: 4 }]);
      return createAgent({ model, tools: [delegate({ low, mid }), makeAsk(done)], store, log: 'silent' });
    };
    const first = await (await makeAgent()).run('Go', { sessionId: 's' });
    expect(first.outcome).toBe('interrupted');
    const asked = first.interrupts.map(({ payload, under = [] }) => ({ payload, depth: under.length }));
    expect(asked).toEqual([
      { payload: { n: 1 }, depth: 2 },
      { payload: { n: 2 }, depth: 2 },
      { payload: { n: 3 }, depth: 1 },
      { payload: { n: 4 }, depth: 0 },
    ]);
    const ids = first.interrupts.map(({ id }) => id);
    let left = 4;
    for (const index of [2, 0, 3, 1]) {
      await answerInterrupts(store, 's', { [ids[index] ?? '']: 'yes' }, { by: `person ${index}` });
      left -= 1;
      expect(await pendingInterrupts(store, 's')).toHaveLength(left);
      const result = await (await makeAgent()).resume('s');
      expect(result.outcome).toBe(left === 0 ? 'completed' : 'interrupted');
    }
    expect(done).toEqual([3, 1, 4, 2]);
    const record = await store.load('s');
    expect(record?.run?.usage).toMatchObject({ modelCalls: 6, total: 66 });
    const [mid = ''] = await childrenOf(store, 's');
    expect((await store.load(mid))?.run?.usage.modelCalls).toBe(4);
  });
});

describe('a child of a layer', () => {
  /** A layer that has a reviewer look at each payment, which asks a person; the payment is made once it agrees. */
  const reviewing = (kind: 'layer' | 'gate', reviews: string[]) =>
    definePlugin({
      name: 'review',
      setup({ hooks }) {
        hooks.wrapToolCall.tapPromise(
          { name: 'review', gate: kind === 'gate' },
          async (call, next, scope) => {
            if (call.name !== 'pay') return next(call);
            const model = doing('reviewer', ['ask', { n: 7 }]);
            const { text } = await scope.child({
              agent: { name: 'reviewer', model },
              prompt: 'Is this right?',
            });
            reviews.push(text);
            return next(call);
          },
        );
      },
    })();

  it.each(['layer', 'gate'] as const)(
    'of a %s asks for the call, and goes on in another process',
    async (kind) => {
      const store = memoryStore();
      const [done, paid, reviews]: [unknown[], string[], string[]] = [[], [], []];
      const pay = defineTool({
        name: 'pay',
        description: 'Pays.',
        input: { type: 'object' },
        execute: () => void paid.push('paid'),
      });
      const make = () =>
        createAgent({
          model: doing('root', ['pay', {}]),
          tools: [pay, makeAsk(done)],
          plugins: [reviewing(kind, reviews)],
          store,
          log: 'silent',
        });
      const { interrupts } = await (await make()).run('Go', { sessionId: 's' });
      expect(interrupts).toMatchObject([{ payload: { n: 7 }, under: ['call_0'] }]);
      expect(paid).toEqual([]);
      const result = await (await make()).resume('s', { [interrupts[0]?.id ?? '']: 'yes' });
      expect(result).toMatchObject({ outcome: 'completed', usage: { modelCalls: 4 } });
      expect({ done, paid, reviews }).toEqual({ done: [7], paid: ['paid'], reviews: ['reviewer is done.'] });
      expect(await childrenOf(store, 's')).toHaveLength(1);
    },
  );

  it('is the same one when an outer layer tries the call again', async () => {
    const store = memoryStore();
    const reviews: string[] = [];
    const fail = defineTool({
      name: 'pay',
      description: 'Fails.',
      input: { type: 'object' },
      execute: () => {
        throw new Error('not yet');
      },
    });
    const retry = definePlugin({
      name: 'retry',
      priority: 80,
      wrapToolCall: async (call, next) =>
        (await next(call)).isError === true ? next(call) : { content: '' },
    })();
    const agent = await createAgent({
      model: doing('root', ['pay', {}]),
      tools: [fail, { ...makeAsk(), execute: () => ({ content: 'no question' }) }],
      plugins: [retry, reviewing('layer', reviews)],
      store,
      log: 'silent',
    });
    await agent.run('Go', { sessionId: 's' });
    expect(reviews).toEqual(['reviewer is done.', 'reviewer is done.']);
    expect(await childrenOf(store, 's')).toHaveLength(1);
  });

  it('is refused around a model call', async () => {
    const plugin = definePlugin({
      name: 'wrong',
      wrapModelCall: async (request, next, { child }) => {
        await child({ agent: { name: 'helper' }, prompt: 'Help.' });
        return next(request);
      },
    })();
    const agent = await createAgent({ model: doing('root'), plugins: [plugin], log: 'silent' });
    await expect(agent.run('Go')).rejects.toThrow(
      'wrong asked for a child in wrapModelCall; use wrapToolCall or a tool.',
    );
  });
});
