import { setImmediate as turnOfTheLoop } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { ChatModel } from '../contract/model.ts';
import { defineTool, type Tool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { currentPlugin, trackPlugins } from './plugin-context.ts';

it('knows whose code is running, and what that has started, once it was asked for', async () => {
  trackPlugins();
  const seen: string[] = [];
  const note = (where: string): void => void seen.push(`${where}: ${currentPlugin() ?? 'nobody'}`);
  const noteLater = (where: string): Promise<void> => turnOfTheLoop().then(() => note(where));
  const toolNamed = (name: string): Tool =>
    defineTool({
      name,
      description: '',
      input: { type: 'object' },
      execute: () => noteLater(`tool ${name}`),
    });
  const scripted = scriptedModel([{ toolCalls: [{ name: 'own' }, { name: 'brought' }] }, { text: 'Done.' }]);
  const model: ChatModel = {
    id: scripted.id,
    async generate(request, call) {
      await noteLater('model');
      return scripted.generate(request, call);
    },
  };
  const outer = definePlugin({
    name: 'outer',
    setup({ hooks, aroundRun, onStart, tools }) {
      note('setup');
      onStart(() => note('onStart'));
      aroundRun(async (_, next) => {
        note('aroundRun');
        return next();
      });
      tools.add(toolNamed('brought'));
      hooks.beforeAgent.tap('x', () => noteLater('beforeAgent'));
      hooks.wrapModelCall.tap('x', async (request, next) => {
        const response = await next(request);
        note('wrapModelCall');
        return response;
      });
    },
  })();
  const inner = definePlugin({
    name: 'inner',
    wrapModelCall(request, next) {
      note('wrapModelCall');
      return next(request);
    },
    wrapToolCall: (call, next) => next(call),
  })();
  await using agent = await createAgent({
    log: 'silent',
    model,
    tools: [toolNamed('own')],
    toolConcurrency: 1,
    plugins: [outer, inner],
  });
  await agent.run('hello');
  const step = ['wrapModelCall: inner', 'model: nobody', 'wrapModelCall: outer'];
  expect(seen).toEqual([
    'setup: outer',
    'onStart: outer',
    'aroundRun: outer',
    'beforeAgent: outer',
    ...step,
    'tool own: nobody',
    'tool brought: outer',
    ...step,
  ]);
  expect(currentPlugin()).toBeUndefined();
});
