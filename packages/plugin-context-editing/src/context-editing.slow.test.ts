import { createAgent, defineTool, textOf } from '@shallot/core';
import { estimateTokens } from '@shallot/core/plugin';
import { assertValidRequest, scriptedModel } from '@shallot/testing';
import { expect, it } from 'vitest';

import contextEditing from './index.ts';

it('keeps 500 steps with results of 20 kB below the context, each request valid', async () => {
  const words = 'The bees were calm and the second frame was full of honey. '.repeat(340);
  const long = defineTool({
    name: 'read',
    description: 'Reads.',
    input: { type: 'object' },
    execute: () => words,
  });
  const steps = [
    ...Array.from({ length: 500 }, (_, index) => ({ toolCalls: [{ name: 'read', args: { page: index } }] })),
    { text: 'Done.' },
  ];
  const model = scriptedModel(steps, { contextTokens: 40_000 });
  const plugins = [contextEditing({ clearToolResults: {} })];
  await using agent = await createAgent({ model, tools: [long], plugins, maxSteps: 600, log: 'silent' });
  expect((await agent.run('Go')).text).toBe('Done.');
  for (const [index, request] of model.requests.entries()) {
    if (index % 10 !== 0) continue;
    assertValidRequest(request);
    const tokens = request.messages.reduce((sum, message) => sum + estimateTokens(textOf(message)), 0);
    expect(tokens).toBeLessThan(40_000);
  }
});
