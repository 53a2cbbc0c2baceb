import { describe, expect, it } from 'vitest';

import { scriptedModel } from '../../../../testing/src/index.ts';
import { createAgent, definePlugin, defineTool, memoryStore } from '../../index.ts';
import type { Store } from '../../store.ts';
import { answerInterrupts, pendingInterrupts } from '../../work.ts';

const yesOrNo = { enum: ['yes', 'no'] } as const;

/** A tool that asks before it goes on. */
const askFirst = defineTool({
  name: 'ask_first',
  description: 'Asks.',
  input: { type: 'object', properties: { n: { type: 'number' } } },
  execute: async (args, context) => ({
    ...(args as object),
    answer: await context.interrupt({ kind: 'question', payload: args, answer: yesOrNo }),
  }),
});

const read = defineTool({
  name: 'read',
  description: 'Reads.',
  input: { type: 'object' },
  effect: 'read',
  execute: () => 'read',
});

function agentFor(
  store: Store,
  tools: readonly { readonly name: string; readonly args?: { readonly n: number } }[],
) {
  const model = scriptedModel([{ toolCalls: tools }, { text: 'Done.' }]);
  return createAgent({ model, tools: [askFirst, read], store, log: 'silent' });
}

const two = [
  { name: 'ask_first', args: { n: 1 } },
  { name: 'ask_first', args: { n: 2 } },
];

/** A store whose process has died after so many commits: later ones never come back. */
function dyingAfter(store: Store, commits: number): Store & { readonly died: Promise<void> } {
  let left = commits;
  const died = Promise.withResolvers<void>();
  return {
    died: died.promise,
    load: (sessionId) => store.load(sessionId),
    renew: async () => true,
    requestStop: async () => false,
    list: (filter) => store.list(filter),
    delete: (sessionId) => store.delete(sessionId),
    commit: async (sessionId, revision, change) => {
      if (left === 0) return (died.resolve(), new Promise<number>(() => {}));
      left -= 1;
      // The process is gone: its claim holds nobody back.
      const { claim: _claim, ...rest } = change;
      return store.commit(sessionId, revision, rest);
    },
  };
}

describe('open questions', () => {
  it('stay on record while a resumed run is under way, and can be answered if it dies', async () => {
    const store = memoryStore();
    const first = await (await agentFor(store, two)).run('Go', { sessionId: 's' });
    const [one, other] = first.interrupts.map(({ id }) => id);
    const dying = await createAgent({
      model: scriptedModel([]),
      tools: [askFirst, read],
      store: dyingAfter(store, 1),
      log: 'silent',
    });
    void dying.resume('s', { [one ?? '']: 'yes' });
    await expect.poll(async () => (await store.load('s'))?.run?.status).toBe('running');
    expect((await pendingInterrupts(store, 's')).map(({ id }) => id)).toEqual([other]);
    await answerInterrupts(store, 's', { [other ?? '']: 'no' });
    const last = await createAgent({
      model: scriptedModel([{ text: 'Done.' }]),
      tools: [askFirst, read],
      store,
      log: 'silent',
    });
    const result = await last.resume('s');
    expect(result.outcome).toBe('completed');
    expect(result.messages.filter(({ role }) => role === 'tool')).toMatchObject([
      { data: { n: 1, answer: 'yes' } },
      { data: { n: 2, answer: 'no' } },
    ]);
  });

  it('stand in the order of their calls, whichever was asked first', async () => {
    const waits = [10, 30, 0, 20];
    const late = defineTool({
      name: 'late',
      description: 'Asks after a while.',
      input: { type: 'object', properties: { n: { type: 'number' } } },
      async execute(args, { interrupt }) {
        const { n } = args as { readonly n: number };
        await new Promise((resolve) => setTimeout(resolve, waits[n]));
        return interrupt({ kind: 'question', payload: n, answer: yesOrNo });
      },
    });
    const toolCalls = waits.map((_, n) => ({ name: 'late', args: { n } }));
    const agent = await createAgent({
      model: scriptedModel([{ toolCalls }]),
      tools: [late],
      log: 'silent',
    });
    const { interrupts } = await agent.run('Go');
    expect(interrupts.map(({ payload }) => payload)).toEqual([0, 1, 2, 3]);
  });

  it('are gone once their step is over', async () => {
    const store = memoryStore();
    const first = await (await agentFor(store, two)).run('Go', { sessionId: 's' });
    const ids = first.interrupts.map(({ id }) => id);
    const agent = await createAgent({
      model: scriptedModel([{ toolCalls: [{ name: 'read' }] }, { text: 'Done.' }]),
      tools: [askFirst, read],
      store,
      log: 'silent',
    });
    await agent.resume('s', Object.fromEntries(ids.map((id) => [id, 'yes'])));
    expect((await store.load('s'))?.run).toMatchObject({ status: 'completed', interrupts: [], answers: {} });
  });

  it('are answered while the run is at work on another call', async () => {
    const store = memoryStore();
    const started = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const slow = defineTool({
      name: 'slow',
      description: 'Is slow.',
      input: { type: 'object' },
      async execute() {
        started.resolve();
        await release.promise;
        return 'slow';
      },
    });
    const model = scriptedModel([
      { toolCalls: [{ name: 'ask_first', args: { n: 1 } }, { name: 'slow' }] },
      { text: 'Done.' },
    ]);
    const agent = await createAgent({ model, tools: [askFirst, slow], store, log: 'silent' });
    const running = agent.run('Go', { sessionId: 's' });
    await started.promise;
    await expect.poll(async () => (await pendingInterrupts(store, 's')).length).toBe(1);
    const [asked] = await pendingInterrupts(store, 's');
    const answers = { [asked?.id ?? '']: 'yes' };
    await answerInterrupts(store, 's', answers);
    // A mistake need not wait.
    await expect(answerInterrupts(store, 's', { int_unknown: 1 }, { waitMs: 60_000 })).rejects.toMatchObject({
      code: 'INTERRUPT_UNKNOWN',
    });
    release.resolve();
    expect(await running).toMatchObject({ outcome: 'completed' });
  });
});

describe('ids of messages', () => {
  it('stay unique when a run is taken up again in the middle of a step', async () => {
    const store = memoryStore();
    const calls = [
      { name: 'read' },
      ...Array.from({ length: 6 }, (_, n) => ({ name: 'ask_first', args: { n } })),
    ];
    const agent = await agentFor(store, calls);
    let answers: Record<string, string> = {};
    const first = await agent.run('Go', { sessionId: 's' });
    answers = Object.fromEntries(first.interrupts.map(({ id }) => [id, 'yes']));
    await agent.resume('s', answers);
    const ids = (await store.load('s'))?.messages.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('a run that dies between its last tool and its end', () => {
  it('ends with the result of a tool that returns directly, without another step', async () => {
    const direct = defineTool({
      name: 'direct',
      description: 'Is the answer.',
      input: { type: 'object' },
      returnDirectly: true,
      execute: () => 'the answer',
    });
    const script = (): ReturnType<typeof scriptedModel> =>
      scriptedModel([{ toolCalls: [{ name: 'direct' }] }]);
    const straight = await (await createAgent({ model: script(), tools: [direct] })).run('Go');
    for (let commits = 3; commits < 9; commits += 1) {
      const store = memoryStore();
      const disk = dyingAfter(store, commits);
      const dying = await createAgent({
        model: script(),
        tools: [direct],
        store: disk,
        log: 'silent',
      });
      const run = dying.run('Go', { sessionId: 's' });
      const ended = await Promise.race([run.then(() => true), disk.died.then(() => false)]);
      if (ended) break;
      const open = await pendingInterrupts(store, 's');
      expect(open).toEqual([]);
      const record = await store.load('s');
      if (record?.messages.at(-1)?.role !== 'tool') continue;
      const agent = await createAgent({ model: scriptedModel([]), tools: [direct], store, log: 'silent' });
      const { outcome, stopReason, text, steps } = await agent.resume('s');
      expect({ outcome, stopReason, text, steps }).toEqual({
        outcome: straight.outcome,
        stopReason: 'return-directly',
        text: 'the answer',
        steps: 1,
      });
    }
  });

  it('stays a failure that a resume could only repeat, also when a hook has committed something after it', async () => {
    const parting = definePlugin({
      name: 'parting',
      afterAgent: async (_, run) => void (await run.once('bye', () => 'bye')),
    })();
    const store = memoryStore();
    const dying = await createAgent({
      model: scriptedModel([{ text: 'No JSON.' }, { text: 'None.' }]),
      plugins: [parting],
      store: dyingAfter(store, 3),
      log: 'silent',
    });
    void dying.run('Go', { sessionId: 's', output: yesOrNo });
    await expect.poll(async () => (await store.load('s'))?.run?.position.at).toBe('end');
    const agent = await createAgent({
      model: scriptedModel([]),
      plugins: [parting],
      store,
      log: 'silent',
    });
    await expect(agent.resume('s')).rejects.toMatchObject({
      code: 'SESSION_UNFINISHED',
      result: { outcome: 'failed' },
    });
    expect((await store.load('s'))?.run?.status).toBe('failed');
  });

  it('ends as a plugin wanted it', async () => {
    const ending = definePlugin({
      name: 'ending',
      async wrapToolCall(call, next, { run }) {
        const result = await next(call);
        run.end();
        return result;
      },
    })();
    for (let commits = 3; commits < 9; commits += 1) {
      const store = memoryStore();
      const model = scriptedModel([{ toolCalls: [{ name: 'read' }] }]);
      const plugins = [ending];
      const disk = dyingAfter(store, commits);
      const dying = await createAgent({
        model,
        tools: [read],
        plugins,
        store: disk,
        log: 'silent',
      });
      const run = dying.run('Go', { sessionId: 's' });
      const ended = await Promise.race([run.then(() => true), disk.died.then(() => false)]);
      if (ended) break;
      const record = await store.load('s');
      if (record?.messages.at(-1)?.role !== 'tool') continue;
      const agent = await createAgent({
        model: scriptedModel([]),
        tools: [read],
        plugins,
        store,
        log: 'silent',
      });
      expect(await agent.resume('s')).toMatchObject({ outcome: 'completed', stopReason: 'ended' });
    }
  });
});
