import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { childrenOf, delegate, doing } from '../../../test/children.ts';
import { ShallotError } from '../../base/errors.ts';
import { abandonRun, createAgent, defineTool, memoryStore, type ToolContext } from '../../index.ts';
import type { ChatModel } from '../../model.ts';
import { sqliteStore } from '../../sqlite/index.ts';
import type { Store } from '../../store.ts';
import { answerInterrupts, pendingInterrupts, stopRun, submitRun } from '../../work.ts';

const ask = defineTool({
  name: 'ask',
  description: 'Asks.',
  input: { type: 'object', properties: { n: { type: 'number' } } },
  execute: (args, { interrupt }) => interrupt({ kind: 'question', payload: args, answer: { enum: ['yes'] } }),
});

function makeAgent(store: Store, more: object = {}) {
  const low = { model: doing('low', ['ask', { n: 1 }]) };
  const mid = { model: doing('mid', ['delegate', { to: 'low' }]) };
  return createAgent({
    name: 'top',
    model: doing('root', ['delegate', { to: 'mid' }]),
    tools: [delegate({ low, mid }), ask],
    store,
    log: 'silent',
    ...more,
  });
}

function sqlite(): Store {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-children-'));
  const store = sqliteStore(join(folder, 'sessions.db'));
  onTestFinished(async () => {
    await store.close?.();
    await rm(folder, { recursive: true });
  });
  return store;
}

describe('a tree of runs', () => {
  it('is one session for workers: they resume the root, and leave its children alone', async () => {
    const store = sqlite();
    const { runId } = await (await makeAgent(store)).run('Go', { sessionId: 's' });
    const worker = await makeAgent(store);
    const stop = new AbortController();
    const working = worker.work({ signal: stop.signal, intervalMs: 10 });
    const [question] = await pendingInterrupts(store, 's');
    expect(question?.under).toHaveLength(2);
    await answerInterrupts(store, 's', { [question?.id ?? '']: 'yes' });
    await expect
      .poll(async () => (await store.load('s'))?.run?.status, { timeout: 20_000 })
      .toBe('completed');
    stop.abort();
    await working;
    const listed: string[] = [];
    for await (const { id } of store.list()) listed.push(id);
    expect(listed).toEqual(['s']);
    for await (const { id } of store.list({ parent: 's' })) {
      expect((await store.load(id))?.run).toMatchObject({ status: 'completed', parent: { runId } });
      await expect(answerInterrupts(store, id, {})).rejects.toMatchObject({ code: 'SESSION_IS_CHILD' });
      await expect(worker.resume(id)).rejects.toMatchObject({ code: 'SESSION_IS_CHILD' });
    }
    expect(await worker.deleteSession('s')).toBeDefined();
    for await (const { id } of store.list({ parent: 's' })) expect(id).toBe('nothing is left');
  });

  it('goes on in workers where all questions of one call are answered, while others wait', async () => {
    const store = sqlite();
    const two = { model: doing('two', ['ask', { n: 1 }], ['ask', { n: 2 }]) };
    const one = { model: doing('one', ['ask', { n: 3 }]) };
    const more = {
      model: doing('root', ['delegate', { to: 'two' }], ['delegate', { to: 'one' }]),
      tools: [delegate({ two, one }), ask],
    };
    await (await makeAgent(store, more)).run('Go', { sessionId: 's' });
    const ids = (await pendingInterrupts(store, 's')).map(({ id }) => id);
    const isDue = async (): Promise<boolean> => {
      for await (const _ of store.list({ resumable: true })) return true;
      return false;
    };
    const answer = (index: number) => answerInterrupts(store, 's', { [ids[index] ?? '']: 'yes' });
    await answer(0);
    expect(await isDue()).toBe(false);
    await answer(2);
    expect(await isDue()).toBe(true);
    await (await makeAgent(store, more)).resume('s');
    const statuses = new Set<unknown>();
    for await (const { id } of store.list({ parent: 's' })) statuses.add((await store.load(id))?.run?.status);
    expect(statuses).toEqual(new Set(['completed', 'interrupted']));
    expect(await isDue()).toBe(false);
    await answer(1);
    expect(await isDue()).toBe(true);
    expect(await (await makeAgent(store, more)).resume('s')).toMatchObject({ outcome: 'completed' });
  });

  it('fails as a whole by a conflict in a child, which no model is told of, and goes on', async () => {
    const store = memoryStore();
    let conflicts = 0;
    const torn: Store = {
      ...store,
      commit: async (sessionId, revision, change) => {
        const isThird = sessionId.startsWith('child_') && (change.append?.[0]?.role ?? '') === 'assistant';
        if (isThird && conflicts === 0) {
          conflicts += 1;
          throw new ShallotError('STORE_CONFLICT', { message: 'Somebody else was first.' });
        }
        return store.commit(sessionId, revision, change);
      },
    };
    const agent = await makeAgent(torn);
    await expect(agent.run('Go', { sessionId: 's' })).rejects.toMatchObject({
      code: 'STORE_CONFLICT',
      transient: true,
    });
    expect((await store.load('s'))?.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    const asked = await agent.resume('s');
    expect(asked.outcome).toBe('interrupted');
    const done = await agent.resume('s', { [asked.interrupts[0]?.id ?? '']: 'yes' });
    expect(done).toMatchObject({ outcome: 'completed', usage: { modelCalls: 6 } });
  });

  it('stops after the steps that it is in, and goes on there', async () => {
    const store = memoryStore();
    const started = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const slow = defineTool({
      name: 'ask',
      description: 'Is slow.',
      input: { type: 'object' },
      effect: 'read',
      async execute() {
        started.resolve();
        await release.promise;
        return 'slow';
      },
    });
    const low = { model: doing('low', ['ask', {}]) };
    const more = { tools: [delegate({ low }), slow], model: doing('root', ['delegate', { to: 'low' }]) };
    const agent = await makeAgent(store, more);
    const running = agent.run('Go', { sessionId: 's' });
    await started.promise;
    await agent.stop('s');
    release.resolve();
    await expect(running).rejects.toMatchObject({ code: 'RUN_ABORTED', result: { steps: 1 } });
    for await (const { id } of store.list({ parent: 's' }))
      expect((await store.load(id))?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(await agent.resume('s')).toMatchObject({ outcome: 'completed', usage: { modelCalls: 4 } });
  });

  it('says so when the session of a child that it waits for is gone', async () => {
    const store = memoryStore();
    const agent = await makeAgent(store);
    const { interrupts } = await agent.run('Go', { sessionId: 's' });
    for await (const { id } of store.list({ parent: 's' })) await store.delete(id);
    const { outcome, messages } = await agent.resume('s', { [interrupts[0]?.id ?? '']: 'yes' });
    expect(outcome).toBe('completed');
    expect(JSON.stringify(messages)).toContain('its session is gone from the store');
  });

  it('ends whole when its root is abandoned: no child waits for answers any longer', async () => {
    const store = memoryStore();
    const agent = await makeAgent(store);
    const abandon: Record<string, () => Promise<unknown>> = {
      program: () => abandonRun(store, 'program'),
      run: () => agent.run('Something else', { sessionId: 'run', abandon: true }),
      submitted: () => submitRun(store, 'submitted', 'Something else', { agent: 'top', abandon: true }),
    };
    for (const [root, act] of Object.entries(abandon)) {
      await agent.run('Go', { sessionId: root });
      const [middle = ''] = await childrenOf(store, root);
      const [low = ''] = await childrenOf(store, middle);
      await act();
      for (const id of [middle, low])
        expect((await store.load(id))?.run).toMatchObject({
          status: 'aborted',
          position: { at: 'end' },
          interrupts: [],
        });
    }
    await agent.close();
  });

  it('a child at work is stopped alone from another process, one that waits only with its root', async () => {
    const store = sqlite();
    const begun = Promise.withResolvers<void>();
    const work = Promise.withResolvers<string>();
    const slow = defineTool({
      name: 'slow',
      description: 'Works.',
      input: { type: 'object' },
      execute: () => {
        begun.resolve();
        return work.promise;
      },
    });
    const renew: Store['renew'] = async (sessionId, claim) => {
      const renewed = await store.renew(sessionId, claim);
      if (renewed === 'stop') setImmediate(() => work.resolve('done'));
      return renewed;
    };
    const agent = await makeAgent(
      { ...store, renew },
      {
        model: doing('root', ['delegate', { to: 'worker' }]),
        tools: [delegate({ worker: { model: doing('worker', ['slow', {}]) } }), slow],
      },
    );
    const running = agent.run('Go', { sessionId: 's' });
    await begun.promise;
    const [child = ''] = await childrenOf(store, 's');
    expect(await stopRun(store, child)).toBe(true);
    const { outcome, messages } = await running;
    await agent.close();
    expect(outcome).toBe('completed');
    expect(JSON.stringify(messages)).toContain('agent.stop ended it after step 1');
    expect((await store.load(child))?.run).toMatchObject({ status: 'aborted', position: { at: 'end' } });
    const asking = await makeAgent(store);
    await asking.run('Go', { sessionId: 'asking' });
    const [waiting = ''] = await childrenOf(store, 'asking');
    await expect(stopRun(store, waiting)).rejects.toThrow('belongs to a child run of session "asking"');
    await asking.close();
  });

  it('leaves no child that could go on, however its call ended without a result', async () => {
    const store = memoryStore();
    const failing: ChatModel = {
      id: 'failing',
      generate: () => Promise.reject(new Error('The model is gone.')),
    };
    const endless: ChatModel = { id: 'endless', generate: () => new Promise(() => {}) };
    const asking = doing('asking', ['ask', { n: 1 }]);
    const begins = (
      name: string,
      act: (child: Promise<unknown>, scope: ToolContext) => unknown,
      model: ChatModel,
    ) =>
      defineTool({
        name,
        description: 'Begins a child.',
        input: { type: 'object' },
        effect: 'idempotent',
        execute: async (_, context) => {
          await act(context.child({ agent: { name, model }, prompt: 'Work.' }), context);
          return 'went on';
        },
      });
    const tools = [
      begins('fails', (child) => child.catch(() => undefined), failing),
      begins('leaves', (child) => void child.catch(() => undefined), endless),
      begins('waits', (child) => child, asking),
      ask,
    ];
    const calls = tools.slice(0, 3).map(({ name }) => [name, {}] as const);
    const agent = await makeAgent(store, { model: doing('root', ...calls), tools });
    const first = await agent.run('Go', { sessionId: 's' });
    expect(await agent.resume('s', { [first.interrupts[0]?.id ?? '']: 'yes' })).toMatchObject({
      outcome: 'completed',
    });
    await agent.close();
    const children = await childrenOf(store, 's');
    const runs = await Promise.all(children.map(async (id) => (await store.load(id))?.run));
    expect(runs.map((run) => run?.position.at)).toEqual(['end', 'end', 'end']);
    expect(new Set(runs.map((run) => run?.status))).toEqual(new Set(['aborted', 'completed', 'failed']));
  });

  it('leaves no child that could go on where a failed one is known to the model', async () => {
    const store = memoryStore();
    const failing: ChatModel = {
      id: 'failing',
      generate: () => Promise.reject(new Error('The model is gone.')),
    };
    const agent = await makeAgent(store, {
      model: doing('root', ['delegate', { to: 'worker' }]),
      tools: [delegate({ worker: { model: failing } })],
    });
    await agent.run('Go', { sessionId: 's' });
    await agent.close();
    const [child = ''] = await childrenOf(store, 's');
    expect((await store.load(child))?.run).toMatchObject({
      status: 'failed',
      position: { at: 'end' },
      failure: { message: expect.stringContaining('The model is gone.') as string },
    });
  });
});
