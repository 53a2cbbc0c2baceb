// Behaviours that other systems have as options, and that are a few lines of a layer here: see docs/decisions/other-systems.md.
import { createAgent, definePlugin, defineTool } from '@shallot/core';
import { modelError } from '@shallot/core/model';
import resilience from '@shallot/plugin-resilience';
import { scriptedModel } from '@shallot/testing';
import { expect, it } from 'vitest';

const overloaded = { error: modelError('MODEL_OVERLOADED', { message: 'Too many requests.' }) };
const once = { modelRetry: { attempts: 2, firstDelayMs: 1 } };

function toolResults({ messages }: { readonly messages: readonly { readonly role: string }[] }): unknown[] {
  return messages.filter(({ role }) => role === 'tool');
}

it('a run goes on with an answer about the failure when all attempts of a model call have failed', async () => {
  const excuse = definePlugin({
    name: 'excuse',
    priority: 60,
    wrapModelCall: async (request, next) => {
      try {
        return await next(request);
      } catch (error) {
        const text = `The model is away: ${error instanceof Error ? error.message : String(error)}`;
        return { message: { role: 'assistant', content: text } };
      }
    },
  });
  const model = scriptedModel([overloaded, overloaded]);
  await using agent = await createAgent({ model, plugins: [excuse(), resilience(once)], log: 'silent' });
  const { text, outcome } = await agent.run('Hi');
  expect([outcome, text]).toEqual(['completed', expect.stringContaining('The model is away')]);
  model.assertDone();
});

it('a failure of a tool is told in words of the program, in one place for all tools', async () => {
  const fails = defineTool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    execute: () => {
      throw new Error('ECONNREFUSED 10.0.0.7');
    },
  });
  const words = definePlugin({
    name: 'words',
    wrapToolCall: async (call, next) => {
      const result = await next(call);
      return result.isError === true ? { ...result, content: `${call.name} is not there today.` } : result;
    },
  });
  const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'Done.' }]);
  await using agent = await createAgent({ model, tools: [fails], plugins: [words()], log: 'silent' });
  expect(toolResults(await agent.run('Hi'))).toMatchObject([
    { isError: true, content: [{ text: 'look is not there today.' }] },
  ]);
});

it('another attempt of a model call is asked something else', async () => {
  const shorter = definePlugin({
    name: 'shorter',
    wrapModelCall: async (request, next) => {
      try {
        return await next(request);
      } catch {
        return next({ ...request, instructions: 'Be brief.', messages: request.messages.slice(-1) });
      }
    },
  });
  const model = scriptedModel([{ text: 'One.' }, overloaded, { text: 'Two.' }]);
  await using agent = await createAgent({ model, plugins: [shorter()], log: 'silent' });
  await agent.run('First', { sessionId: 's' });
  expect((await agent.run('Second', { sessionId: 's' })).text).toBe('Two.');
  expect(model.requests.map(({ messages, instructions }) => [messages.length, instructions])).toEqual([
    [1, ''],
    [3, ''],
    [1, 'Be brief.'],
  ]);
});

it('a function chooses the model of a step, and the failures after which another one is asked', async () => {
  const [own, long, other] = [
    scriptedModel([overloaded], { id: 'test/own' }),
    scriptedModel([{ error: modelError('MODEL_AUTH', { message: 'No key.' }) }], { id: 'test/long' }),
    scriptedModel([{ text: 'From the other one.' }], { id: 'test/other' }),
  ];
  const route = definePlugin({
    name: 'route',
    beforeModel: (request) => (request.messages.length > 1 ? { ...request, model: long } : undefined),
    wrapModelCall: async (request, next) => {
      try {
        return await next(request);
      } catch (error) {
        if (request.model === long) throw error;
        return next({ ...request, model: other });
      }
    },
  });
  await using agent = await createAgent({ model: own, plugins: [route()], log: 'silent' });
  expect((await agent.run('Hi', { sessionId: 's' })).text).toBe('From the other one.');
  await expect(agent.run('More', { sessionId: 's' })).rejects.toMatchObject({ code: 'MODEL_AUTH' });
});

it('a run pauses between a model call and its tool calls, and goes on with them', async () => {
  let executed = 0;
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    execute: () => `seen ${(executed += 1)}`,
  });
  const pause = definePlugin({
    name: 'pause',
    afterModel: async (response, run) => {
      if (response.finish === 'tool-calls')
        await run.interrupt({ kind: 'pause', payload: 'Go on?', answer: {} });
    },
  });
  const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'Done.' }]);
  await using agent = await createAgent({ model, tools: [look], plugins: [pause()], log: 'silent' });
  const { interrupts, outcome } = await agent.run('Go', { sessionId: 's' });
  expect([outcome, executed]).toEqual(['interrupted', 0]);
  const { text } = await agent.resume('s', { [interrupts[0]?.id ?? '']: true });
  expect([text, executed, model.requests.length]).toEqual(['Done.', 1, 2]);
});
