import { expect, it } from 'vitest';

import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { createAgent } from '../../create-agent.ts';
import { definePlugin } from '../define-plugin.ts';
import type { ReadyAgent } from '../plugin.ts';
import { timeLimitKey } from './time-limit.ts';

const limiting = (name: string, left: number) =>
  definePlugin({
    name,
    setup: ({ id, provide }) => provide(timeLimitKey(id), { left: () => left }),
  })();

it('The time that a run has left is that of the strictest limit, and gone with it', async () => {
  const left: number[] = [];
  let ready: ReadyAgent | undefined;
  const curious = definePlugin({
    name: 'curious',
    setup: ({ onReady }) =>
      onReady((agent) => {
        ready = agent;
      }),
    beforeAgent: (run) => void left.push(ready?.timeLeft(run) ?? Number.NaN),
  })();
  await using agent = await createAgent({
    model: scriptedModel(['a', 'b', 'c'].map((text) => ({ text }))),
    plugins: [curious, limiting('loose', 500), limiting('strict', 50)],
  });
  await agent.run('Hi');
  await agent.remove('strict');
  await agent.run('Hi');
  await agent.remove('loose');
  await agent.run('Hi');
  expect(left).toEqual([50, 500, Infinity]);
});

it('The models that options name are known when all plugins are set up, each once', async () => {
  const [own, other] = [scriptedModel([]), scriptedModel([])];
  let ready: ReadyAgent | undefined;
  const curious = definePlugin({
    name: 'curious',
    setup: ({ onReady }) =>
      onReady((agent) => {
        ready = agent;
      }),
  })();
  const names = definePlugin({
    name: 'names',
    async setup({ resolveModel }) {
      for (const model of [own, other]) await resolveModel(model);
    },
  })();
  await using _agent = await createAgent({ model: own, plugins: [curious, names] });
  const models = ready?.models ?? [];
  expect([models.length, models[0] === own, models[1] === other]).toEqual([2, true, true]);
});
