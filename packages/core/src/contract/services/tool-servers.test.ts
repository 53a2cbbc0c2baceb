import { expect, it } from 'vitest';

import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { createAgent } from '../../create-agent.ts';
import { definePlugin } from '../define-plugin.ts';
import type { ReadyAgent } from '../plugin.ts';
import { toolServersKey } from './tool-servers.ts';

const withServer = (server: string) =>
  definePlugin({
    name: `with-${server}`,
    setup: ({ id, provide }) =>
      provide(toolServersKey(id), {
        serverOf: (tool) =>
          tool.startsWith(`${server}_`) ? { server, name: tool.slice(server.length + 1) } : undefined,
      }),
  })();

it('The server of a tool is named by the plugin that has the tool, as long as that is there', async () => {
  let ready: ReadyAgent | undefined;
  const curious = definePlugin({
    name: 'curious',
    setup: ({ onReady }) =>
      onReady((agent) => {
        ready = agent;
      }),
  })();
  await using agent = await createAgent({
    model: scriptedModel([]),
    plugins: [curious, withServer('github'), withServer('memory')],
  });
  const found = () => ['github_issue', 'memory_read', 'ls'].map((tool) => ready?.serverOf(tool));
  expect(found()).toEqual([
    { server: 'github', name: 'issue' },
    { server: 'memory', name: 'read' },
    undefined,
  ]);
  await agent.remove('with-memory');
  expect(found()).toEqual([{ server: 'github', name: 'issue' }, undefined, undefined]);
});
