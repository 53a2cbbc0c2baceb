import { createAgent, definePlugin, ShallotError } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { scriptedModel, type ScriptedModel, type ScriptedStep } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { agentWith, failing, warningsOf } from '../test/agent.ts';
import { modelFallback } from './index.ts';

function other(name: string, steps: readonly ScriptedStep[]) {
  return scriptedModel(steps, { id: `test/${name}` });
}

describe('another model', () => {
  it('is asked when one fails, in turn, and a warning says so', async () => {
    const models = [other('b', [failing('MODEL_AUTH')]), other('c', [{ text: 'I am c.' }])];
    const { agent } = await agentWith([modelFallback({ models })], [failing()]);
    expect(await warningsOf(agent)).toEqual({
      warnings: ['model-fallback/MODEL_FALLBACK', 'model-fallback/MODEL_FALLBACK'],
      text: 'I am c.',
    });
  });

  it('is not asked for an abort, nor beyond a limit', async () => {
    const second = other('b', [{ text: 'No.' }]);
    const aborting = new AbortController();
    const stops = definePlugin({
      name: 'stops',
      wrapModelCall() {
        aborting.abort();
        throw new Error('aborted');
      },
    })();
    const aborted = await agentWith([modelFallback({ models: [second] }), stops], []);
    await expect(aborted.agent.run('Hi', { signal: aborting.signal })).rejects.toMatchObject({
      code: 'RUN_ABORTED',
    });
    const limits = definePlugin({
      name: 'limits',
      wrapModelCall() {
        throw new ShallotError('LIMIT_REACHED', { message: 'No more.' });
      },
    })();
    const limited = await agentWith([modelFallback({ models: [second] }), limits], []);
    await expect(limited.agent.run('Hi')).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
    expect(second.calls).toBe(0);
  });

  it('leaves the first error, with the others beside it, when all fail', async () => {
    const models = [other('b', [failing('MODEL_AUTH')])];
    const { agent } = await agentWith([modelFallback({ models })], [failing()]);
    const error: unknown = await agent.run('Hi').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'MODEL_OVERLOADED', transient: true });
    expect((error as Error).cause).toMatchObject({ errors: [{ code: 'MODEL_AUTH' }] });
    expect(error).toMatchObject({ errors: [{ code: 'MODEL_AUTH' }] });
  });

  it('leaves the others beside a first error of any kind', async () => {
    const models = [other('b', [{ error: new TypeError('b broke') }])];
    const { agent } = await agentWith([modelFallback({ models })], [{ error: new Error('own broke') }]);
    const error: unknown = await agent.run('Hi').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ errors: [{ message: expect.stringContaining('b broke') as string }] });
    expect((error as Error).message).toContain('own broke');
  });

  it('is asked once, though it is listed twice or is the one that failed', async () => {
    const again = other('b', [failing('MODEL_AUTH')]);
    const own = scriptedModel([failing()]);
    const agent = await createAgent({
      model: own,
      plugins: [modelFallback({ models: [own, again, again] })],
      log: 'silent',
    });
    await expect(agent.run('Hi')).rejects.toMatchObject({ code: 'MODEL_OVERLOADED' });
    expect([own.calls, again.calls]).toEqual([1, 1]);
  });

  it('may have the same name, if it is at another endpoint', async () => {
    const [first, again, second] = [[failing()], [{ text: 'Never asked.' }], [{ text: 'I am second.' }]].map(
      (steps) => scriptedModel(steps, { id: 'acme/bee' }),
    ) as [ScriptedModel, ScriptedModel, ScriptedModel];
    const at = (model: ScriptedModel, endpoint: string): ChatModel => ({
      id: model.id,
      endpoint,
      generate: (request, context) => model.generate(request, context),
    });
    await using agent = await createAgent({
      model: at(first, 'north'),
      plugins: [modelFallback({ models: [at(again, 'north'), at(second, 'south')] })],
      log: 'silent',
    });
    const stream = agent.stream('Hi');
    const said: string[] = [];
    for await (const event of stream) if (event.type === 'warning') said.push(event.message);
    expect((await stream.result).text).toBe('I am second.');
    expect([first.calls, again.calls, second.calls]).toEqual([1, 0, 1]);
    expect(said).toEqual([
      'The model acme/bee failed (It failed with MODEL_OVERLOADED.); acme/bee (fallback 2) is asked instead.',
    ]);
  });

  it('that has the same name, and no endpoint, is known by its object', async () => {
    const second = scriptedModel([{ text: 'I am second.' }]);
    const { agent } = await agentWith([modelFallback({ models: [second] })], [failing()]);
    expect((await agent.run('Hi')).text).toBe('I am second.');
  });

  it('has to be another than the own one: else the agent does not start', async () => {
    const own = scriptedModel([]);
    const agent = createAgent({ model: own, plugins: [modelFallback({ models: [own, own] })] });
    await expect(agent).rejects.toMatchObject({
      code: 'resilience/NO_FALLBACK',
      message: expect.stringContaining('test/scripted') as string,
    });
  });

  it('stays for the rest of the run if that is asked for', async () => {
    const steps = [{ toolCalls: [{ name: 'none' }] }, { text: 'Done.' }];
    const sticky = await agentWith(
      [modelFallback({ models: [other('b', steps)], sticky: true })],
      [failing()],
    );
    expect((await sticky.agent.run('Hi')).text).toBe('Done.');
    expect(sticky.model.calls).toBe(1);
    const loose = await agentWith([modelFallback({ models: [other('b', steps)] })], [failing(), failing()]);
    expect((await loose.agent.run('Hi')).text).toBe('Done.');
    expect(loose.model.calls).toBe(2);
  });
});
