import { createAgent, defineTool } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { expect, it } from 'vitest';

import { registerTracing, treeOf } from '../../test/tracing.ts';
import telemetry from '../index.ts';

it('the spans of a child are inside of that of the call that began it', async () => {
  using tracing = registerTracing();
  const delegate = defineTool({
    name: 'delegate',
    description: 'Delegates.',
    input: { type: 'object' },
    effect: 'idempotent',
    async execute(_, { child }) {
      const model = scriptedModel([{ text: 'Read.' }]);
      return (await child({ agent: { name: 'reader', model }, prompt: 'Read.' })).text;
    },
  });
  const agent = await createAgent({
    name: 'cook',
    model: scriptedModel([{ toolCalls: [{ name: 'delegate' }] }, { text: 'Done.' }]),
    tools: [delegate],
    plugins: [telemetry()],
    log: 'silent',
  });
  await agent.run('Go');
  await agent.close();
  expect(treeOf(tracing.spans())).toMatchInlineSnapshot(`
    [
      "invoke_agent cook",
      "  chat scripted",
      "  execute_tool delegate",
      "    invoke_agent reader",
      "      chat scripted",
      "  chat scripted",
    ]
  `);
});
