import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { assertValidRequest } from '../../../testing/src/assert-valid-request.ts';
import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import { hookTrace } from '../../../testing/src/trace-hooks.ts';
import type { AgentOptions } from '../contract/agent-options.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import { textOf, textPart } from '../contract/messages.ts';
import type { ChatModel } from '../contract/model.ts';
import type { Plugin } from '../contract/plugin.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  execute: () => 'an onion',
});
const call: ScriptedStep = { text: 'Again.', toolCalls: [{ name: 'look' }] };

function agentWith(steps: readonly ScriptedStep[], options: Partial<AgentOptions>) {
  const model = scriptedModel(steps);
  return { model, agent: createAgent({ log: 'silent', model, tools: [look], ...options }) };
}

describe('maxSteps', () => {
  it('ends the run with a reason of its own and a valid history', async () => {
    const { model, agent } = agentWith([call, call, { text: 'Next time.' }], { maxSteps: 2 });
    await using live = await agent;
    const result = await live.run('hello', { sessionId: 's' });
    expect(result).toMatchObject({ outcome: 'completed', stopReason: 'max-steps', steps: 2 });
    expect(result.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
    ]);
    assertValidRequest({ model, instructions: '', settings: {}, messages: result.messages });
    expect((await live.run('And now?', { sessionId: 's' })).text).toBe('Next time.');
    model.assertDone();
  });

  it('is not reached by an answer in the last step', async () => {
    const { agent } = agentWith([call, { text: 'An onion.' }], { maxSteps: 2 });
    await using live = await agent;
    expect(await live.run('hello')).toMatchObject({ stopReason: 'answer', text: 'An onion.', steps: 2 });
  });

  it('lets timers and others go on during thousands of steps that never wait', async () => {
    let calls = 0;
    const model: ChatModel = {
      id: 'test/at-once',
      async generate() {
        calls += 1;
        if (calls > 2000)
          return { message: { role: 'assistant', content: [textPart('Done.')] }, finish: 'stop' };
        const content = [{ type: 'tool-call' as const, id: `c${calls}`, name: 'look', input: {} }];
        return { message: { role: 'assistant', content }, finish: 'tool-calls' };
      },
    };
    const options = { model, tools: [look], maxSteps: 2001, log: 'silent' as const };
    await using agent = await createAgent(options);
    let callsAtTurn: number | undefined;
    setTimeout(() => (callsAtTurn = calls));
    expect(await agent.run('hello')).toMatchObject({ stopReason: 'answer', steps: 2001 });
    expect(callsAtTurn).toBeLessThan(2000);
  });

  it('is 50 unless it is said', async () => {
    const { model, agent } = agentWith(
      Array.from({ length: 60 }, () => call),
      {},
    );
    await using live = await agent;
    expect(await live.run('hello')).toMatchObject({ stopReason: 'max-steps', steps: 50 });
    expect(model.calls).toBe(50);
  });

  it('counts steps, not attempts', async () => {
    const retry = definePlugin({
      name: 'retry',
      async wrapModelCall(request, next) {
        try {
          return await next(request);
        } catch {
          return next(request);
        }
      },
    })();
    const { model, agent } = agentWith([{ error: new Error('reset') }, call, { text: 'An onion.' }], {
      maxSteps: 2,
      plugins: [retry],
    });
    await using live = await agent;
    expect(await live.run('hello')).toMatchObject({ stopReason: 'answer', steps: 2 });
    expect(model.calls).toBe(3);
  });

  it('also ends a run that a plugin keeps going', async () => {
    const insisting = definePlugin({
      name: 'insisting',
      afterModel: (_, run) => run.again('Are you sure?'),
    })();
    for (const maxStepsAnswer of [false, true]) {
      const { model, agent } = agentWith(
        Array.from({ length: 9 }, () => ({ text: 'Yes.' })),
        { maxSteps: 3, maxStepsAnswer, plugins: [insisting] },
      );
      await using live = await agent;
      expect(await live.run('hello')).toMatchObject({ outcome: 'completed', stopReason: 'max-steps' });
      expect(model.calls).toBe(maxStepsAnswer ? 4 : 3);
    }
  });
});

describe('maxStepsAnswer', () => {
  const options = { maxSteps: 2, maxStepsAnswer: true };

  it('asks the model once more, without tools, through all hooks', async () => {
    const trace = hookTrace();
    const plugins: Plugin[] = [
      trace.plugin('a', 50, { hooks: ['beforeModel', 'wrapModelCall', 'afterModel'] }),
    ];
    const { model, agent } = agentWith([call, call, { text: 'As far as I can see, an onion.' }], {
      ...options,
      plugins,
    });
    await using live = await agent;
    const result = await live.run('hello');
    expect(result).toMatchObject({
      stopReason: 'max-steps',
      text: 'As far as I can see, an onion.',
      steps: 3,
    });
    expect(model.requests.map(({ tools }) => tools?.length)).toEqual([1, 1, undefined]);
    expect(trace.lines.slice(-4)).toEqual([
      'a beforeModel',
      'a wrapModelCall >',
      'a wrapModelCall <',
      'a afterModel',
    ]);
    model.assertDone();
  });

  it('leaves a valid history when the model calls a tool all the same', async () => {
    const { model, agent } = agentWith([call, call, call], options);
    await using live = await agent;
    const result = await live.run('hello');
    expect(result).toMatchObject({ outcome: 'completed', stopReason: 'max-steps' });
    expect(result.messages.slice(-1).map(textOf)).toEqual([
      'not executed: the run has reached its last step',
    ]);
    assertValidRequest({ model, instructions: '', settings: {}, messages: result.messages });
  });

  it('still gives the output that was asked for', async () => {
    const { agent } = agentWith([call, call, { text: '{"kind":"onion"}' }], options);
    await using live = await agent;
    const result = await live.run('hello', { output: z.object({ kind: z.string() }) });
    expect(result).toMatchObject({ stopReason: 'max-steps', output: { kind: 'onion' } });
  });

  it('fails with OUTPUT_INVALID when that output is wrong: there is no step left to say so', async () => {
    const { model, agent } = agentWith([call, call, { text: 'An onion.' }], options);
    await using live = await agent;
    const run = live.run('hello', { output: z.object({ kind: z.string() }) });
    await expect(run).rejects.toMatchObject({ code: 'OUTPUT_INVALID', result: { outcome: 'failed' } });
    model.assertDone();
  });
});

it('hooks and tools know how many steps remain', async () => {
  const left: number[] = [];
  const counting = definePlugin({
    name: 'counting',
    beforeModel: (_, run) => void left.push(run.maxSteps - run.step),
    wrapToolCall(call, next, { run }) {
      left.push(run.maxSteps - run.step);
      return next(call);
    },
  })();
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    execute: (_, { run }) => String(run.maxSteps - run.step),
  });
  const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'Done.' }]);
  const agent = await createAgent({ model, tools: [look], plugins: [counting], maxSteps: 7, log: 'silent' });
  const { messages } = await agent.run('Go');
  expect(left).toEqual([6, 6, 5]);
  expect(messages[2]?.content).toMatchObject([{ text: '6' }]);
});
