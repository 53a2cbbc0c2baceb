import { setTimeout as sleep } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { PluginSetup } from '../contract/plugin.ts';
import type { RunInfo } from '../contract/run-info.ts';
import { createAgent } from '../create-agent.ts';

/** A run in which a plugin asks a model of this script, with what comes of it. */
async function asking(
  steps: readonly ScriptedStep[],
  ask: (generate: PluginSetup['generate'], run: RunInfo) => unknown,
): Promise<{ readonly requests: number; readonly text: string }> {
  const model = scriptedModel(steps);
  const plugin = definePlugin({
    name: 'asking',
    setup({ hooks, generate }) {
      hooks.beforeModel.tap('ask', async (_, run) => void (await ask(generate, run)));
    },
  })();
  await using agent = await createAgent({ log: 'silent', model, plugins: [plugin] });
  const { text } = await agent.run('hello');
  return { requests: model.requests.length, text };
}

const purpose = 'test';

it('a model is not asked with a signal that is aborted', async () => {
  const reason = new Error('no time');
  const signal = AbortSignal.abort(reason);
  const { text } = await asking([{ text: 'x' }, { text: 'x' }], async (generate, run) => {
    await expect(generate(run, { messages: run.messages }, { purpose, signal })).rejects.toBe(reason);
  });
  expect(text).toBe('x');
});

it('a call ends when its signal is aborted, and the run goes on', async () => {
  const controller = new AbortController();
  const reason = new Error('no time');
  const stall: ScriptedStep = () => {
    setImmediate(() => controller.abort(reason));
    return { chunks: [], stall: true };
  };
  const { requests, text } = await asking([stall, { text: 'x' }], async (generate, run) => {
    const { signal } = controller;
    await expect(generate(run, { messages: run.messages }, { purpose, signal })).rejects.toBe(reason);
  });
  expect([requests, text]).toEqual([2, 'x']);
});

it('a model is not asked for a run that has ended', async () => {
  let late: (() => Promise<unknown>) | undefined;
  await asking([{ text: 'x' }], (generate, run) => {
    late = () => generate(run, { messages: run.messages }, { purpose });
  });
  await sleep(0);
  await expect(late?.()).rejects.toMatchObject({
    code: 'RUN_ENDED',
    plugin: 'asking',
    message: expect.stringContaining('asking called generate on a run that has ended') as string,
  });
});
