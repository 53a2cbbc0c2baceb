import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { Plugin } from '../contract/plugin.ts';
import { createAgent } from '../create-agent.ts';

const never = (): Promise<never> => new Promise(() => {});

/** A plugin whose `aroundRun` does as it should, or hangs in one place. */
function surrounding(name: string, hangs?: 'before' | 'after'): Plugin {
  return definePlugin({
    name,
    setup: ({ aroundRun }) =>
      aroundRun(async (_, next) => {
        if (hangs === 'before') await never();
        const result = await next();
        if (hangs === 'after') await never();
        return result;
      }),
  })();
}

describe('an aroundRun that never settles', () => {
  it('fails the run when it has not entered it in time, and is named', async () => {
    const model = scriptedModel([]);
    const plugins = [surrounding('outer'), surrounding('stuck', 'before'), surrounding('inner')];
    await using agent = await createAgent({ model, log: 'silent', hookTimeoutMs: 30, plugins });
    await expect(agent.run('hello')).rejects.toMatchObject({
      code: 'HOOK_TIMEOUT',
      plugin: 'stuck',
      message: expect.stringContaining('did not call next within 30 ms') as string,
      result: { outcome: 'failed' },
    });
  });

  it('does not keep the result of a run that is over: it is noted, by name', async () => {
    const model = scriptedModel([{ text: 'Done.' }]);
    const plugins = [surrounding('outer'), surrounding('stuck', 'after'), surrounding('inner')];
    await using agent = await createAgent({ model, log: 'silent', hookTimeoutMs: 30, plugins });
    expect(await agent.run('hello')).toMatchObject({
      outcome: 'completed',
      text: 'Done.',
      errors: [{ code: 'HOOK_TIMEOUT', plugin: 'stuck' }],
    });
  });

  it('does not stand in the way of an abort', async () => {
    const controller = new AbortController();
    const stuck = definePlugin({
      name: 'stuck',
      setup: ({ aroundRun }) => aroundRun(() => (setImmediate(() => controller.abort()), never())),
    })();
    await using agent = await createAgent({ model: scriptedModel([]), log: 'silent', plugins: [stuck] });
    const run = agent.run('hello', { signal: controller.signal });
    await expect(run).rejects.toMatchObject({ code: 'RUN_ABORTED' });
  });
});

it('an aroundRun that settles right after the run costs no timer', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  const options = {
    model: scriptedModel([{ text: 'Done.' }]),
    log: 'silent',
    hookTimeoutMs: 54_321,
  } as const;
  await using agent = await createAgent({
    ...options,
    plugins: [surrounding('outer'), surrounding('inner')],
  });
  await agent.run('hello');
  expect(timers.mock.calls.filter(([, ms]) => ms === options.hookTimeoutMs)).toEqual([]);
});
