import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { collectEvents } from '../../../../testing/src/collect-events.ts';
import { eventLines } from '../../../../testing/src/event-lines.ts';
import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { traceHooks } from '../../../../testing/src/trace-hooks.ts';
import { isShallotError } from '../../base/errors.ts';
import type { AgentOptions } from '../../contract/agent-options.ts';
import { definePlugin } from '../../contract/define-plugin.ts';
import { textOf, type Message } from '../../contract/messages.ts';
import type { Plugin } from '../../contract/plugin.ts';
import type { RunResult } from '../../contract/result.ts';
import { defineTool, type Tool } from '../../contract/tool.ts';
import { createAgent } from '../../create-agent.ts';
import { memoryStore } from '../../sessions/stores/memory-store.ts';

/** A tool that takes a while, and counts how many of it run at once. */
function counting(takesMs: (index: number) => number = () => 5): Tool & { readonly most: () => number } {
  let running = 0;
  let most = 0;
  const tool = defineTool({
    name: 'work',
    description: 'Works.',
    input: { type: 'object' },
    async execute(_, { call }) {
      running += 1;
      most = Math.max(most, running);
      await sleep(takesMs(call.index));
      running -= 1;
      return `result ${call.index}`;
    },
  });
  return { ...tool, most: () => most };
}

const steps = (calls: number) => [
  { toolCalls: Array.from({ length: calls }, () => ({ name: 'work' })) },
  { text: 'done' },
];

function resultsOf({ messages }: { readonly messages: readonly Message[] }): string[] {
  return messages.flatMap((message) => (message.role === 'tool' ? textOf(message) : []));
}

async function run(
  calls: number,
  options: Partial<AgentOptions>,
  plugins: readonly Plugin[] = [],
): Promise<RunResult> {
  const model = scriptedModel(steps(calls));
  await using agent = await createAgent({ log: 'silent', ...options, model, plugins });
  return await agent.run('hello', { sessionId: 's' }).catch((error: unknown) => {
    if (isShallotError(error) && error.result !== undefined) return error.result;
    throw error;
  });
}

describe('the tool calls of one step', () => {
  it.each([
    [20, undefined, 8],
    [20, 3, 3],
    [20, 1, 1],
    [3, 8, 3],
  ])('%i of them with toolConcurrency %s run %i at once', async (calls, toolConcurrency, most) => {
    for (const plugins of [[], [traceHooks(), traceHooks({ name: 'gate', gate: true })]]) {
      const tool = counting();
      const options = toolConcurrency === undefined ? {} : { toolConcurrency };
      await run(calls, { ...options, tools: [tool] }, plugins);
      expect(tool.most()).toBe(most);
    }
  });

  it('have their results in call order, whichever is first', async () => {
    const tool = counting((index) => 30 - index * 10);
    const result = await run(4, { tools: [tool] });
    expect(resultsOf(result)).toEqual(['result 0', 'result 1', 'result 2', 'result 3']);
  });

  it('are announced as they start, and reported as they end', async () => {
    const tool = counting((index) => 30 - index * 10);
    await using agent = await createAgent({
      model: scriptedModel(steps(3)),
      tools: [tool],
      toolConcurrency: 2,
    });
    const { events } = await collectEvents(agent.stream('hello'));
    const ofTools = eventLines(events).filter(
      (line) => line.startsWith('tool-') && !line.startsWith('tool-call'),
    );
    expect(ofTools).toEqual([
      'tool-start work({})',
      'tool-start work({})',
      'tool-end work "result 1"',
      'tool-start work({})',
      'tool-end work "result 0"',
      'tool-end work "result 2"',
    ]);
  });

  it('finish when one of them is interrupted; only that one is run on resume', async () => {
    const executed: number[] = [];
    const tool = defineTool({
      name: 'work',
      description: 'Works.',
      input: { type: 'object' },
      async execute(_, context) {
        const { index } = context.call;
        executed.push(index);
        if (index !== 1) return `result ${index}`;
        return context.interrupt({ kind: 'q', payload: index, answer: { type: 'string' } });
      },
    });
    const store = memoryStore();
    await using agent = await createAgent({ model: scriptedModel(steps(4)), store, tools: [tool] });
    const paused = await agent.run('hello', { sessionId: 's' });
    expect(paused).toMatchObject({ outcome: 'interrupted', stopReason: 'interrupt' });
    expect(paused.interrupts).toMatchObject([{ call: { name: 'work' }, payload: 1 }]);
    expect(executed.splice(0)).toEqual([0, 1, 2, 3]);
    // Nothing is part of the conversation before all results are there.
    expect(resultsOf(paused)).toEqual([]);
    const result = await agent.resume('s', { [paused.interrupts[0]?.id ?? '']: 'answered' });
    expect(executed).toEqual([1]);
    expect(resultsOf(result)).toEqual(['result 0', 'answered', 'result 2', 'result 3']);
  });

  it('are given up when a plugin fails at one of them: the next run answers each', async () => {
    const failing = definePlugin({
      name: 'failing',
      async wrapToolCall(call, next) {
        if (call.index !== 1) return next(call);
        await isBusy.promise;
        throw new Error('no');
      },
    })();
    const isBusy = Promise.withResolvers<void>();
    const tool = defineTool({
      name: 'work',
      description: 'Works.',
      input: { type: 'object' },
      execute: (_, { call: { index } }) =>
        index === 2 ? (isBusy.resolve(), new Promise<never>(() => {})) : `result ${index}`,
    });
    const store = memoryStore();
    const result = await run(5, { tools: [tool], toolConcurrency: 2, store }, [failing]);
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'PLUGIN_FAILED', plugin: 'failing' } });
    await using next = await createAgent({ model: scriptedModel([{ text: 'Still here.' }]), store });
    await next.run('And now?', { sessionId: 's' });
    const { messages = [] } = (await next.session('s')) ?? {};
    expect(resultsOf({ messages })).toEqual([
      'result 0',
      'not executed: the run failed',
      'It is not known whether this call took effect: it had started when the run failed.',
      'not executed: the run failed',
      'not executed: the run failed',
    ]);
  });

  it('report the first of several failures', async () => {
    const failing = definePlugin({
      name: 'failing',
      async wrapToolCall(call) {
        await sleep(20 - call.index * 5);
        throw new Error(`no ${call.index}`);
      },
    })();
    const result = await run(3, { tools: [counting()] }, [failing]);
    expect(result.error).toMatchObject({ cause: { message: 'no 2' } });
  });
});

describe('returnDirectly', () => {
  const direct = (name: string, fails = false): Tool =>
    defineTool({
      name,
      description: 'Answers.',
      input: { type: 'object' },
      returnDirectly: true,
      execute() {
        if (fails) throw new Error('no');
        return `from ${name}`;
      },
    });
  const ask = async (
    names: readonly string[],
    tools: readonly Tool[],
    text = 'the model',
  ): Promise<RunResult> => {
    const toolCalls = names.map((name) => ({ name }));
    await using agent = await createAgent({ model: scriptedModel([{ toolCalls }, { text }]), tools });
    return await agent.run('hello');
  };

  it('ends the run with the result of the tool, without another model call', async () => {
    const result = await ask(['one'], [direct('one')]);
    expect(result).toMatchObject({
      outcome: 'completed',
      stopReason: 'return-directly',
      text: 'from one',
      steps: 1,
    });
    expect(result.messages.at(-1)).toMatchObject({ role: 'tool' });
  });

  it('of several is the first in call order, and the others have their results too', async () => {
    const tools = [counting(() => 0), direct('one'), direct('two')];
    const result = await ask(['work', 'two', 'one'], tools);
    expect(result.text).toBe('from two');
    expect(resultsOf(result)).toEqual(['result 0', 'from two', 'from one']);
  });

  it('is no answer when the tool failed', async () => {
    const result = await ask(['one'], [direct('one', true)]);
    expect(result).toMatchObject({ stopReason: 'answer', text: 'the model' });
  });
});
