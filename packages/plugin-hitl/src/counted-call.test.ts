import { createAgent, definePlugin, defineTool } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { expect, it } from 'vitest';

import hitl from './index.ts';

it('an approved call is counted once by a layer outside, however often its run is resumed', async () => {
  const allowance = definePlugin({
    name: 'allowance',
    priority: 70,
    setup({ hooks, state }) {
      const used = state<number>({ key: 'used', initial: () => 0 });
      hooks.wrapToolCall.tapPromise('allow', async (call, next, { run, once }) => {
        const isAllowed = await once('allow', () => {
          if (used.get(run) >= 1) return false;
          used.update(run, (calls) => calls + 1);
          return true;
        });
        return isAllowed ? next(call) : { content: [{ type: 'text', text: 'No more.' }], isError: true };
      });
    },
  })();
  let executed = 0;
  const add = defineTool({
    name: 'add',
    description: 'Adds.',
    input: { type: 'object' },
    execute: () => String((executed += 1)),
  });
  const model = scriptedModel([{ toolCalls: [{ name: 'add' }] }, { text: 'Done.' }]);
  const plugins = [allowance, hitl({ tools: { add: true } })];
  await using agent = await createAgent({ model, tools: [add], plugins, log: 'silent' });

  const { interrupts } = await agent.run('x', { sessionId: 's' });
  expect(await agent.resume('s')).toMatchObject({ outcome: 'interrupted', interrupts });
  const approve = { [interrupts[0]?.id ?? '']: { decision: 'approve' } };
  expect(await agent.resume('s', approve)).toMatchObject({ text: 'Done.' });
  expect(executed).toBe(1);
  expect((await agent.session('s'))?.state).toMatchObject({ allowance: { used: { value: 1 } } });
});
