import { createAgent, defineTool } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { expect, it } from 'vitest';

import { hitl } from './hitl.ts';

const tool = (name: string) =>
  defineTool({ name, description: 'Works.', input: { type: 'object' }, execute: () => 'done' });

it('says which tools it asks about: by name, by pattern, and under a condition', async () => {
  const tools = { '*': false, delete_file: true, 'mail_*': { when: () => false } };
  await using agent = await createAgent({
    model: scriptedModel([]),
    tools: ['delete_file', 'mail_send', 'read_file'].map(tool),
    plugins: [hitl({ tools })],
    log: 'silent',
  });
  expect(agent.askedBy('delete_file')).toEqual(['hitl']);
  expect(agent.askedBy('mail_send')).toEqual(['hitl']);
  expect(agent.askedBy('read_file')).toEqual([]);
});

it('is one at most: a second one is a start-up error', async () => {
  const created = createAgent({
    model: scriptedModel([]),
    plugins: [hitl(), { use: hitl(), id: 'second' }],
    log: 'silent',
  });
  await expect(created).rejects.toMatchObject({ code: 'SERVICE_DUPLICATE' });
});
