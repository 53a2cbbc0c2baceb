import { expect, it } from 'vitest';

import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { createAgent } from '../../create-agent.ts';
import { definePlugin } from '../define-plugin.ts';
import { approvalsKey } from './approvals.ts';

const asking = (name: string, ...tools: readonly string[]) =>
  definePlugin({
    name,
    setup({ id, provide }) {
      provide(approvalsKey(id), { asksAbout: (tool) => tools.includes(tool) });
    },
  })();

it('The plugins that ask about a tool are known to the agent, and to plugins from onReady on', async () => {
  let askedBy: ((tool: string) => readonly string[]) | undefined;
  const curious = definePlugin({
    name: 'curious',
    setup({ onReady }) {
      onReady((agent) => {
        askedBy = agent.askedBy;
      });
    },
  })();
  const agent = await createAgent({
    model: scriptedModel([]),
    plugins: [curious, asking('one', 'shell', 'mail'), asking('two', 'shell')],
  });
  expect(agent.askedBy('shell')).toEqual(['one', 'two']);
  expect(agent.askedBy('mail')).toEqual(['one']);
  expect(agent.askedBy('look')).toEqual([]);
  await agent.remove('two');
  expect(askedBy?.('shell')).toEqual(['one']);
  await agent.close();
});
