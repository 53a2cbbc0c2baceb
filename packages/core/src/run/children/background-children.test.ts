import { describe, expect, it } from 'vitest';

import { beside, childrenOf, doing } from '../../../test/children.ts';
import { createAgent, defineTool, memoryStore, textOf, type Tool } from '../../index.ts';
import type { ChatModel } from '../../model.ts';
import { pendingInterrupts } from '../../work.ts';

/** A tool that notes its calls, and waits for a door, if it is given one. */
function makeWrite(done: unknown[], door?: Promise<void>): Tool {
  return defineTool({
    name: 'write',
    description: 'Writes.',
    input: { type: 'object' },
    async execute(args) {
      await door;
      done.push((args as { readonly n?: number }).n);
    },
  });
}

const ask = defineTool({
  name: 'ask',
  description: 'Asks.',
  input: { type: 'object' },
  execute: (args, { interrupt }) =>
    interrupt({ kind: 'question', payload: args, answer: { enum: ['yes', 'no'] } }),
});

describe('a child in the background', () => {
  it('goes on beside its parent, which waits for it before it ends, and hears of its end', async () => {
    const store = memoryStore();
    const done: unknown[] = [];
    const door = Promise.withResolvers<void>();
    const worker = { model: doing('worker', ['write', { n: 1 }]) };
    const model = doing('root', ['begin', { to: 'worker' }]);
    const agent = await createAgent({
      model,
      tools: [beside({ worker }), makeWrite(done, door.promise)],
      store,
      log: 'silent',
    });
    const events: string[] = [];
    const stream = agent.stream('Go', { sessionId: 's' });
    for await (const event of stream) {
      if (event.type === 'message') {
        events.push(textOf(event.message));
        door.resolve();
      }
      if (event.type === 'message-taken') events.push(textOf(event.message));
    }
    const result = await stream.result;
    const [child = ''] = await childrenOf(store, 's');
    expect(done).toEqual([1]);
    expect(result.text).toBe('root is done.');
    expect(events).toEqual([
      '',
      'root is done.',
      `[In the background, the agent "worker" has ended: session ${child}.]`,
      'root is done.',
    ]);
    expect(result.usage.modelCalls).toBe(5);
    expect((await store.load('s'))?.run).toMatchObject({
      status: 'completed',
      children: { begun: 1, usage: {} },
    });
    expect((await store.load('s'))?.run?.children).not.toHaveProperty('background');
  });

  it('asks what it has to ask once its parent has an answer, and is answered by another process', async () => {
    const store = memoryStore();
    const makeAgent = () =>
      createAgent({
        model: doing('root', ['begin', { to: 'one' }], ['begin', { to: 'two' }]),
        tools: [
          beside({
            one: { model: doing('one', ['ask', { n: 1 }], ['ask', { n: 2 }]) },
            two: { model: doing('two', ['ask', { n: 3 }]) },
          }),
          ask,
        ],
        store,
        log: 'silent',
      });
    const waiting = await (await makeAgent()).run('Go', { sessionId: 's' });
    expect(waiting.outcome).toBe('interrupted');
    expect(waiting.interrupts.map(({ payload }) => payload)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(waiting.messages.at(-1)).toMatchObject({
      role: 'assistant',
      content: [{ text: 'root is done.' }],
    });
    expect((await store.load('s'))?.run?.position).toEqual({ at: 'children' });
    let calls = waiting.usage.modelCalls;
    for (const left of [2, 1, 0]) {
      const [asked] = await pendingInterrupts(store, 's');
      const result = await (await makeAgent()).resume('s', { [asked?.id ?? '']: 'yes' });
      expect(result.outcome).toBe(left === 0 ? 'completed' : 'interrupted');
      expect(result.interrupts).toHaveLength(left);
      expect(result.usage.modelCalls).toBeGreaterThanOrEqual(calls);
      calls = result.usage.modelCalls;
    }
    // The root makes its calls, answers, and answers again after both ends. The children make two each.
    expect(calls).toBe(7);
    const { messages = [] } = (await store.load('s')) ?? {};
    expect(messages.filter(({ source }) => source === 'children')).toHaveLength(1);
  });

  it('ends after its step when its parent asks something itself, and goes on with it', async () => {
    const store = memoryStore();
    const done: unknown[] = [];
    const asked = Promise.withResolvers<void>();
    const asks = defineTool({
      ...ask,
      name: 'asks',
      input: { type: 'object' },
      execute: (args, context) => {
        setImmediate(asked.resolve);
        return ask.execute(args, context);
      },
    });
    const worker = { model: doing('worker', ['write', { n: 1 }]) };
    const makeAgent = () =>
      createAgent({
        model: doing('root', ['begin', { to: 'worker' }], ['asks', {}]),
        tools: [beside({ worker }), makeWrite(done, asked.promise), asks],
        store,
        log: 'silent',
      });
    const { interrupts } = await (await makeAgent()).run('Go', { sessionId: 's' });
    const [child = ''] = await childrenOf(store, 's');
    expect(interrupts).toHaveLength(1);
    expect(done).toEqual([1]);
    expect((await store.load(child))?.run).toMatchObject({ status: 'aborted', position: { at: 'step' } });
    const result = await (await makeAgent()).resume('s', { [interrupts[0]?.id ?? '']: 'yes' });
    expect(result).toMatchObject({ outcome: 'completed', usage: { modelCalls: 5 } });
    expect(done).toEqual([1]);
  });

  it('ends after its step with a stop of its parent, and goes on with it', async () => {
    const store = memoryStore();
    const done: unknown[] = [];
    const worker = { model: doing('worker', ['write', { n: 1 }]) };
    const writing = Promise.withResolvers<void>();
    const door = Promise.withResolvers<void>();
    const write = defineTool({
      name: 'write',
      description: 'Writes.',
      input: { type: 'object' },
      async execute() {
        writing.resolve();
        await door.promise;
        done.push(1);
      },
    });
    const agent = await createAgent({
      model: doing('root', ['begin', { to: 'worker' }]),
      tools: [beside({ worker }), write],
      store,
      log: 'silent',
    });
    const stream = agent.stream('Go', { sessionId: 's' });
    const stopAfterAnswer = async (): Promise<void> => {
      for await (const event of stream) {
        if (event.type !== 'message' || textOf(event.message) === '') continue;
        await writing.promise;
        await agent.stop('s');
        door.resolve();
      }
    };
    await expect(stopAfterAnswer()).rejects.toMatchObject({ code: 'RUN_ABORTED' });
    expect(done).toEqual([1]);
    expect((await store.load('s'))?.run?.position).toEqual({ at: 'children' });
    expect(await agent.resume('s', {})).toMatchObject({ outcome: 'completed', usage: { modelCalls: 5 } });
    expect(done).toEqual([1]);
  });

  it('is aborted if it is not over some time after the answer, and the model hears of it', async () => {
    const worker = { model: doing('worker', ['write', {}]) };
    const agent = await createAgent({
      model: doing('root', ['begin', { to: 'worker' }]),
      tools: [beside({ worker }, 20), makeWrite([], new Promise(() => {}))],
      log: 'silent',
    });
    const { messages, outcome } = await agent.run('Go');
    expect(outcome).toBe('completed');
    expect(textOf(messages.at(-2) ?? { role: 'user', id: '', content: [] })).toMatch(/"worker" has failed/);
  });

  it('ends with a parent that has no step left', async () => {
    const store = memoryStore();
    const agent = await createAgent({
      model: doing('root', ['begin', { to: 'worker' }]),
      tools: [beside({ worker: { model: doing('worker', ['ask', {}]) } }), ask],
      store,
      maxSteps: 2,
      log: 'silent',
    });
    const { outcome, text } = await agent.run('Go', { sessionId: 's' });
    expect({ outcome, text }).toEqual({ outcome: 'completed', text: 'root is done.' });
    expect((await store.load('s'))?.run?.children).not.toHaveProperty('background');
  });

  it('whose session or definition is gone has failed, and its parent goes on', async () => {
    const store = memoryStore();
    const asking = { model: doing('one', ['ask', {}]) };
    const makeAgent = (agents: Parameters<typeof beside>[0]) =>
      createAgent({
        model: doing('root', ['begin', { to: 'one' }], ['begin', { to: 'two' }]),
        tools: [beside(agents), ask],
        store,
        log: 'silent',
      });
    await (await makeAgent({ one: asking, two: asking })).run('Go', { sessionId: 's' });
    for (const id of await childrenOf(store, 's'))
      if ((await store.load(id))?.run?.agent?.id === 'one') await store.delete(id);
    const { outcome, messages } = await (await makeAgent({ one: asking })).resume('s', {});
    expect(outcome).toBe('completed');
    expect(textOf(messages.at(-2) ?? { role: 'user', id: '', content: [] })).toMatch(
      /"one" has failed.*\n.*"two" has failed/,
    );
  });

  it('fails with its parent if that is deleted under it', async () => {
    const store = memoryStore();
    const door = Promise.withResolvers<void>();
    const writing = Promise.withResolvers<void>();
    const write = defineTool({
      name: 'write',
      description: 'Writes.',
      input: { type: 'object' },
      async execute() {
        writing.resolve();
        await door.promise;
      },
    });
    const agent = await createAgent({
      model: doing('root', ['begin', { to: 'worker' }]),
      tools: [beside({ worker: { model: doing('worker', ['write', {}]) } }), write],
      store,
      log: 'silent',
    });
    const run = agent.run('Go', { sessionId: 's' });
    await writing.promise;
    await store.delete('s');
    door.resolve();
    await expect(run).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
  });

  it('may be one of a hundred, of which as many work at a time as tools do', async () => {
    const store = memoryStore();
    let atWork = 0;
    let most = 0;
    const write = defineTool({
      name: 'write',
      description: 'Writes.',
      input: { type: 'object' },
      async execute() {
        atWork += 1;
        most = Math.max(most, atWork);
        await new Promise(setImmediate);
        atWork -= 1;
      },
    });
    const calls = Array.from({ length: 101 }, () => ['begin', { to: 'worker' }] as const);
    const agent = await createAgent({
      model: doing('root', ...calls),
      tools: [beside({ worker: { model: doing('worker', ['write', {}]) } }), write],
      toolConcurrency: 8,
      store,
      log: 'silent',
    });
    const { messages, usage } = await agent.run('Go', { sessionId: 's' });
    expect(messages.filter(({ role, ...rest }) => role === 'tool' && 'isError' in rest)).toHaveLength(1);
    expect(usage.modelCalls).toBe(3 + 200);
    expect(most).toBe(8);
  });
});

describe('the children of a tool', () => {
  /** Runs a root that begins a child which asks, and then what the test does. */
  async function afterBegin(then: Tool, child: ChatModel = doing('worker', ['ask', {}])) {
    const model: ChatModel = {
      id: 'root',
      async generate({ messages }) {
        const begun = messages.filter(({ role }) => role === 'tool').length;
        const last = messages.findLast(({ role }) => role === 'tool');
        const name = begun === 0 ? 'begin' : 'then';
        const input = begun === 0 ? { to: 'worker' } : { id: last === undefined ? '' : textOf(last) };
        const call = { type: 'tool-call' as const, id: `call_${begun}`, name, input };
        if (begun < 2) return { message: { role: 'assistant', content: [call] }, finish: 'tool-calls' };
        return { message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }, finish: 'stop' };
      },
    };
    const tools = [beside({ worker: { model: child } }), ask, then];
    return (await createAgent({ model, tools, log: 'silent' })).run('Go');
  }

  it('can be waited for and read: the model is not told of an end that it has read', async () => {
    const seen: unknown[] = [];
    const then = defineTool({
      name: 'then',
      description: 'Reads.',
      input: { type: 'object' },
      effect: 'read',
      async execute(args, { children }) {
        const { id } = args as { readonly id: string };
        seen.push(children.list(), await children.result(id), await children.result(id));
        seen.push(children.list(), await children.result('other'));
      },
    });
    const { outcome, messages } = await afterBegin(then, doing('worker'));
    expect(outcome).toBe('completed');
    const ended = { agent: 'worker', status: 'ended', result: { text: 'worker is done.', steps: 1 } };
    expect(seen).toMatchObject([[{ status: 'running' }], ended, ended, [], undefined]);
    expect(messages.some(({ source }) => source === 'children')).toBe(false);
  });

  it('can be cancelled: what is cancelled asks nothing, and does not go on', async () => {
    const seen: unknown[] = [];
    const then = defineTool({
      name: 'then',
      description: 'Cancels.',
      input: { type: 'object' },
      effect: 'idempotent',
      async execute(args, { children }) {
        const { id } = args as { readonly id: string };
        seen.push(await children.result(id), await children.cancel(id));
        seen.push(await children.cancel(id), await children.result(id));
      },
    });
    const { outcome, usage } = await afterBegin(then);
    expect(outcome).toBe('completed');
    expect(seen).toMatchObject([{ status: 'waiting' }, true, false, { status: 'failed' }]);
    expect(usage.modelCalls).toBe(4);
  });

  it('need a tool that knows their agents after a resume', async () => {
    const begin = defineTool({
      name: 'begin',
      description: 'Begins.',
      input: { type: 'object' },
      execute: (_args, { children }) => children.begin({ agent: { name: 'worker' }, prompt: 'Work.' }),
    });
    const agent = await createAgent({ model: doing('root', ['begin', {}]), tools: [begin], log: 'silent' });
    const { messages } = await agent.run('Go');
    expect(textOf(messages[2] ?? { role: 'user', id: '', content: [] })).toMatch(
      /CHILD_REFUSED: The child agent "worker" is not known to `background.agent` of the tool begin/,
    );
  });
});
