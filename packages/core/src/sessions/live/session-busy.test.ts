import { describe, expect, it } from 'vitest';

import { scriptedModel, type ScriptedStep } from '../../../../testing/src/scripted-model.ts';
import type { Agent } from '../../agent.ts';
import type { AgentOptions } from '../../contract/agent-options.ts';
import { textOf } from '../../contract/messages.ts';
import type { Store } from '../../contract/store.ts';
import { defineTool } from '../../contract/tool.ts';
import { createAgent } from '../../create-agent.ts';
import { answerInterrupts } from '../../workers/answer-interrupts.ts';
import { memoryStore } from '../stores/memory-store.ts';

const never = (): Promise<never> => new Promise(() => {});

function agentOn(
  store: Store,
  steps: readonly ScriptedStep[],
  options: Partial<AgentOptions> = {},
): Promise<Agent> {
  return createAgent({ log: 'silent', model: scriptedModel(steps), store, ...options });
}

/** A model's step that waits until it is told to go on. */
function gated(): {
  readonly step: ScriptedStep;
  readonly reached: Promise<void>;
  readonly open: () => void;
} {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const step: ScriptedStep = async () => {
    reached.resolve();
    await opened.promise;
    return { text: 'first' };
  };
  return { step, reached: reached.promise, open: () => opened.resolve() };
}

/** The record of a session in a store of its own, as it is left by a process that died. */
async function leftBehind(store: Store): Promise<Store> {
  const record = await store.load('s');
  const copy = memoryStore();
  if (record?.run === undefined) throw new Error('nothing was left behind');
  const { messages, state, journal, run } = record;
  await copy.commit('s', 0, { append: messages, state, journal, run });
  return copy;
}

describe('a session with a run in flight', () => {
  it('is refused to others: SESSION_BUSY in the same agent, STORE_CONFLICT from another', async () => {
    const store = memoryStore();
    const { step, reached, open } = gated();
    const agent = await agentOn(store, [step, { text: 'second' }]);
    const other = await agentOn(store, [{ text: 'third' }]);
    const run = agent.run('hello', { sessionId: 's' });
    await reached;
    await expect(agent.run('me too', { sessionId: 's' })).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    await expect(agent.resume('s')).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    for (const options of [{}, { abandon: true }]) {
      await expect(other.run('me too', { sessionId: 's', ...options })).rejects.toMatchObject({
        code: 'STORE_CONFLICT',
        transient: true,
      });
    }
    await expect(other.resume('s')).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
    open();
    expect((await run).text).toBe('first');
    expect((await agent.run('now', { sessionId: 's' })).text).toBe('second');
    expect((await other.run('and I', { sessionId: 's' })).text).toBe('third');
  });

  it('is won by one of several that begin at once', async () => {
    const store = memoryStore();
    const agents = await Promise.all(Array.from({ length: 4 }, () => agentOn(store, [{ text: 'x' }])));
    const runs = await Promise.allSettled(agents.map((agent) => agent.run('hello', { sessionId: 's' })));
    const lost = runs.filter((run) => run.status === 'rejected');
    expect(lost).toHaveLength(3);
    for (const { reason } of lost) expect(reason).toMatchObject({ code: 'STORE_CONFLICT' });
    expect((await store.load('s'))?.messages.map(textOf)).toEqual(['hello', 'x']);
  });

  it('does not disturb other sessions', async () => {
    const { step, reached, open } = gated();
    const agent = await agentOn(memoryStore(), [step, { text: 'second' }]);
    const run = agent.run('hello', { sessionId: 's' });
    await reached;
    expect((await agent.run('hello', { sessionId: 't' })).text).toBe('second');
    open();
    await run;
  });
});

const ask = defineTool({
  name: 'ask',
  description: 'Asks.',
  input: { type: 'object' },
  execute: (_, context) => context.interrupt({ kind: 'q', payload: 1, answer: { type: 'string' } }),
});

describe('a session that waits for answers', () => {
  it('refuses a run, with the ids, unless it gives the other up', async () => {
    const model = [{ toolCalls: [{ name: 'ask' }] }, { text: 'Something else, then.' }];
    const agent = await agentOn(memoryStore(), model, { tools: [ask] });
    const { interrupts } = await agent.run('hello', { sessionId: 's' });
    await expect(agent.run('Never mind.', { sessionId: 's' })).rejects.toMatchObject({
      code: 'SESSION_INTERRUPTED',
      message: expect.stringContaining(interrupts[0]?.id ?? 'none') as string,
    });
    const result = await agent.run('Never mind.', { sessionId: 's', abandon: true });
    expect(result.text).toBe('Something else, then.');
    const view = await agent.session('s');
    expect(view?.messages.map(textOf)).toEqual([
      'hello',
      '',
      'not executed: the run was abandoned',
      'Never mind.',
      'Something else, then.',
    ]);
    expect(view?.interrupts).toEqual([]);
    await expect(agent.resume('s', { [interrupts[0]?.id ?? '']: 'yes' })).rejects.toMatchObject({
      code: 'SESSION_NOT_RESUMABLE',
    });
  });
});

describe('a session whose answers are on record', () => {
  it('refuses a run, and says that nothing else is open', async () => {
    const store = memoryStore();
    const agent = await agentOn(store, [{ toolCalls: [{ name: 'ask' }] }], { tools: [ask] });
    const { interrupts } = await agent.run('hello', { sessionId: 's' });
    await answerInterrupts(store, 's', { [interrupts[0]?.id ?? '']: 'yes' });
    await expect(agent.run('Never mind.', { sessionId: 's' })).rejects.toMatchObject({
      code: 'SESSION_INTERRUPTED',
      message:
        'Session "s" has its answers, but was not resumed. Resume it, or run with abandon: true to abandon it.',
    });
  });
});

describe('a session whose run died', () => {
  async function died(): Promise<Store> {
    const store = memoryStore();
    const started = Promise.withResolvers<void>();
    const tool = defineTool({
      name: 'work',
      description: 'Never ends.',
      input: { type: 'object' },
      execute() {
        started.resolve();
        return never();
      },
    });
    const agent = await agentOn(store, [{ toolCalls: [{ name: 'work' }] }], { tools: [tool] });
    void agent.run('hello', { sessionId: 's' }).catch(() => {});
    await started.promise;
    const left = await leftBehind(store);
    await agent.close();
    return left;
  }

  it('refuses a run, unless it gives the other up', async () => {
    const store = await died();
    const agent = await agentOn(store, [{ text: 'Anew.' }]);
    await expect(agent.run('again', { sessionId: 's' })).rejects.toMatchObject({
      code: 'SESSION_UNFINISHED',
    });
    const result = await agent.run('again', { sessionId: 's', abandon: true });
    expect(result.text).toBe('Anew.');
    expect((await store.load('s'))?.messages.map(textOf)).toEqual([
      'hello',
      '',
      'It is not known whether this call took effect: it had started when the run was abandoned.',
      'again',
      'Anew.',
    ]);
    expect((await store.load('s'))?.journal).toEqual({});
  });

  it('is free when the lease has lapsed, also without a word from whoever held it', async () => {
    const store = await died();
    const record = await store.load('s');
    const claim = { owner: 'gone', host: 'elsewhere', pid: 1 };
    await store.commit('s', record?.revision ?? 0, { claim: { ...claim, expiresAt: Date.now() + 60_000 } });
    const agent = await agentOn(store, [{ text: 'Anew.' }]);
    await expect(agent.run('again', { sessionId: 's', abandon: true })).rejects.toMatchObject({
      code: 'STORE_CONFLICT',
    });
    await store.renew('s', { ...claim, expiresAt: Date.now() - 1 });
    expect((await agent.run('again', { sessionId: 's', abandon: true })).text).toBe('Anew.');
  });
});

describe('a claim', () => {
  it('is renewed while a run is on', async () => {
    const store = memoryStore();
    const { step, reached, open } = gated();
    const agent = await agentOn(store, [step], { claimMs: 60 });
    const run = agent.run('hello', { sessionId: 's' });
    await reached;
    const first = (await store.load('s'))?.claim?.expiresAt ?? 0;
    await expect.poll(async () => (await store.load('s'))?.claim?.expiresAt).toBeGreaterThan(first);
    open();
    await run;
    expect((await store.load('s'))?.claim).toBeUndefined();
  });

  it('that was taken over aborts the run that had it, which leaves the session alone', async () => {
    const store = memoryStore();
    const { step, reached } = gated();
    const agent = await agentOn(store, [step], { claimMs: 30 });
    const run = agent.run('hello', { sessionId: 's' });
    await reached;
    await store.delete('s');
    const taken = await store.commit('s', 0, {});
    await expect(run).rejects.toMatchObject({
      message: expect.stringContaining('another process took it over') as string,
      result: { outcome: 'aborted' },
    });
    expect((await store.load('s'))?.revision).toBe(taken);
  });
});
