import { describe, expect, it } from 'vitest';

import { collectEvents } from '../../../testing/src/collect-events.ts';
import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import { hookTrace, type HookTrace } from '../../../testing/src/trace-hooks.ts';
import type { Agent } from '../agent.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { Store } from '../contract/store.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { answerInterrupts } from '../workers/answer-interrupts.ts';

const yes = { const: 'yes' } as const;

/** Asks once for each number that it is given, all at the same time. */
const asking = defineTool({
  name: 'ask',
  description: 'Asks.',
  input: { type: 'object' },
  async execute(args, { interrupt }) {
    const { questions = [0] } = args as { readonly questions?: readonly number[] };
    await Promise.all(questions.map((payload) => interrupt({ kind: 'q', payload, answer: yes })));
    return 'answered';
  },
});

const plain = defineTool({
  name: 'plain',
  description: 'Answers.',
  input: { type: 'object' },
  effect: 'read',
  execute: () => 'plain',
});

const call = (id: string, questions?: readonly number[]) => ({
  id,
  name: 'ask',
  args: questions === undefined ? {} : { questions },
});

async function pausedAgent(
  step: ScriptedStep,
  trace: HookTrace,
  store: Store = memoryStore(),
): Promise<Agent> {
  return createAgent({
    log: 'silent',
    model: scriptedModel([step, { text: 'Done.' }]),
    tools: [trace.tool(asking), trace.tool(plain)],
    plugins: [trace.plugin('outer', 80), trace.plugin('gate', 10, { hooks: ['wrapToolCall'], gate: true })],
    store,
  });
}

/** The ids of the open questions, by what they ask. */
async function questionsOf(agent: Agent): Promise<Record<string, string>> {
  const { interrupts = [] } = (await agent.session('s')) ?? {};
  return Object.fromEntries(interrupts.map(({ id, payload }) => [JSON.stringify(payload), id]));
}

describe('a resume without a new answer', () => {
  it('enters nothing but afterAgent, and announces the questions again', async () => {
    const trace = hookTrace();
    await using agent = await pausedAgent({ toolCalls: [call('a', [1]), call('b', [2])] }, trace);
    const paused = await agent.run('hello', { sessionId: 's' });
    trace.take();
    const { events, result } = await collectEvents(agent.streamResume('s'));
    expect(trace.lines).toEqual(['outer afterAgent interrupted']);
    expect(result).toMatchObject({ outcome: 'interrupted', interrupts: paused.interrupts });
    expect(events.map((event) => event.type)).toEqual(['run-start', 'interrupt', 'interrupt', 'run-end']);
    expect((await agent.session('s'))?.interrupts).toEqual(paused.interrupts);
  });

  for (const hook of ['beforeModel', 'afterModel'] as const) {
    it(`does not enter a ${hook} that has asked`, async () => {
      const entered: string[] = [];
      const asks = definePlugin({
        name: 'asks',
        setup({ hooks }) {
          hooks[hook].tapPromise('ask', async (_: unknown, run) => {
            entered.push(run.resumed ? 'resumed' : 'first');
            await Promise.all([1, 2].map((payload) => run.interrupt({ kind: 'q', payload, answer: yes })));
          });
        },
      })();
      const model = scriptedModel([{ text: 'Done.' }]);
      await using agent = await createAgent({ log: 'silent', model, plugins: [asks] });
      const paused = await agent.run('hello', { sessionId: 's' });
      const idle = await collectEvents(agent.streamResume('s'));
      expect(entered).toEqual(['first']);
      expect(idle.result?.interrupts).toEqual(paused.interrupts);
      expect(idle.events.filter(({ type }) => type === 'interrupt')).toHaveLength(2);
      const [one, other] = paused.interrupts.map(({ id }) => id);
      // One of two answers is new: the hook is entered for it.
      await agent.resume('s', { [one ?? '']: 'yes' });
      expect(entered).toEqual(['first', 'resumed']);
      await agent.resume('s');
      expect(entered).toEqual(['first', 'resumed']);
      expect(await agent.resume('s', { [other ?? '']: 'yes' })).toMatchObject({ text: 'Done.' });
    });
  }
});

describe('a call that has asked', () => {
  it('is left alone by a resume that answers another one', async () => {
    const trace = hookTrace();
    await using agent = await pausedAgent({ toolCalls: [call('a', [1]), call('b', [2])] }, trace);
    await agent.run('hello', { sessionId: 's' });
    const { 1: a = '', 2: b = '' } = await questionsOf(agent);
    trace.take();
    expect(await agent.resume('s', { [b]: 'yes' })).toMatchObject({ interrupts: [{ id: a }] });
    expect(trace.take().filter((line) => line === 'tool ask')).toHaveLength(1);
    expect(await agent.resume('s', { [a]: 'yes' })).toMatchObject({ outcome: 'completed' });
    expect(trace.take().filter((line) => line === 'tool ask')).toHaveLength(1);
  });

  it('is entered for an answer that was put on record', async () => {
    const trace = hookTrace();
    const store = memoryStore();
    await using agent = await pausedAgent({ toolCalls: [call('a', [1])] }, trace, store);
    await agent.run('hello', { sessionId: 's' });
    const { 1: a = '' } = await questionsOf(agent);
    await answerInterrupts(store, 's', { [a]: 'yes' });
    expect(await agent.resume('s')).toMatchObject({ outcome: 'completed' });
  });

  it('with several questions is entered when one of them has a new answer, and only then', async () => {
    const trace = hookTrace();
    await using agent = await pausedAgent({ toolCalls: [call('a', [1, 2])] }, trace);
    await agent.run('hello', { sessionId: 's' });
    const { 1: one = '', 2: two = '' } = await questionsOf(agent);
    expect([one, two]).not.toContain('');
    trace.take();
    expect(await agent.resume('s', { [two]: 'yes' })).toMatchObject({ interrupts: [{ id: one }] });
    expect(trace.take()).toContain('tool ask');
    // The answer that it has is not a new one any more.
    expect(await agent.resume('s')).toMatchObject({ interrupts: [{ id: one }] });
    expect(trace.take()).not.toContain('tool ask');
    expect(await agent.resume('s', { [one]: 'yes' })).toMatchObject({ outcome: 'completed' });
  });

  it('is left alone after a crash, while the calls beside it go on', async () => {
    const trace = hookTrace();
    const store = memoryStore();
    const toolCalls = [call('a', [1]), { id: 'b', name: 'plain' }];
    const dying = await createAgent({
      log: 'silent',
      model: scriptedModel([{ toolCalls }]),
      tools: [asking, { ...plain, execute: () => new Promise<string>(() => {}) }],
      store,
    });
    void dying.run('hello', { sessionId: 's' }).catch(() => undefined);
    await expect.poll(async () => (await store.load('s'))?.run?.interrupts).toHaveLength(1);
    const record = await store.load('s');
    const left = memoryStore();
    const { messages = [], state = {}, journal = {}, run } = record ?? {};
    await left.commit('s', 0, { append: messages, state, journal, ...(run && { run }) });
    await using agent = await pausedAgent({ text: 'Done.' }, trace, left);
    expect(await agent.resume('s')).toMatchObject({ outcome: 'interrupted', interrupts: [{ payload: 1 }] });
    expect(trace.take().filter((line) => line.startsWith('tool '))).toEqual(['tool plain']);
    const { 1: a = '' } = await questionsOf(agent);
    expect(await agent.resume('s', { [a]: 'yes' })).toMatchObject({ text: 'Done.' });
    expect(trace.take().filter((line) => line.startsWith('tool '))).toEqual(['tool ask']);
    await dying.close();
  });
});
