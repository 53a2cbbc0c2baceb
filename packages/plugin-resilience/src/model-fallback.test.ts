import { definePlugin, ShallotError } from '@shallot/core';
import { scriptedModel, type ScriptedStep } from '@shallot/core/testing';
import { describe, expect, it } from 'vitest';

import { modelFallback } from './index.ts';
import { agentWith, failing, warningsOf } from './test-agent.ts';

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
  });

  it('is asked once, though it is listed twice or is the one that failed', async () => {
    const again = other('b', [failing('MODEL_AUTH')]);
    const own = scriptedModel([]);
    const { agent, model } = await agentWith([modelFallback({ models: [own, again, again] })], [failing()]);
    await expect(agent.run('Hi')).rejects.toMatchObject({ code: 'MODEL_OVERLOADED' });
    expect([model.calls, own.calls, again.calls]).toEqual([1, 0, 1]);
  });

  it('that is the failing model alone leaves its error as it is', async () => {
    const { agent, model } = await agentWith([modelFallback({ models: [scriptedModel([])] })], [failing()]);
    const error: unknown = await agent.run('Hi').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'MODEL_OVERLOADED' });
    expect((error as Error).message).not.toContain('fallback');
    expect(model.calls).toBe(1);
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
