import { expect, it } from 'vitest';

import { collectEvents } from '../../../../testing/src/collect-events.ts';
import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { delegate, doing } from '../../../test/children.ts';
import { createAgent, defineTool } from '../../index.ts';

const look = defineTool({
  name: 'look',
  title: 'Look around',
  description: 'Looks.',
  input: { type: 'object' },
  execute: () => 'Nothing.',
});
const plain = defineTool({
  name: 'plain',
  description: 'Looks.',
  input: { type: 'object' },
  execute: () => 'Nothing.',
});

it('a child shows as progress of its call what it calls, and what it writes before that', async () => {
  const reader = scriptedModel([
    { text: `  ${'I look. '.repeat(100)}`, toolCalls: [{ name: 'look' }] },
    { toolCalls: [{ name: 'plain' }] },
    { text: 'Nothing is there.' },
  ]);
  await using agent = await createAgent({
    model: doing('root', ['delegate', { to: 'reader' }]),
    tools: [delegate({ reader: { model: reader } }), look, plain],
    log: 'silent',
  });
  const { events } = await collectEvents(agent.stream('Go'));
  const progress = events.flatMap((event) => (event.type === 'tool-progress' ? [event.data] : []));
  expect(progress).toEqual([
    `reader: ${'I look. '.repeat(100).slice(0, 500)}`,
    'reader: Look around',
    'reader: plain',
  ]);
});
