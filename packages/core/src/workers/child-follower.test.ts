import { expect, it } from 'vitest';

import { beside, delegate, doing } from '../../test/children.ts';
import { createAgent, memoryStore, textOf } from '../index.ts';
import { followRun } from './follow-run.ts';
import type { FollowedTreeEvent } from './followed-event.ts';
import { submitRun } from './submit-run.ts';

function lineOf(event: FollowedTreeEvent): string {
  if (event.type === 'child') return `${event.agent}: ${lineOf(event.event)}`;
  return 'message' in event ? `${event.type} ${textOf(event.message)}` : event.type;
}

it.each([
  ['while it is executed', true],
  ['when it has ended', false],
])(
  'a follower gets the events of a tree once, each child before the result of its call, %s',
  async (_, isLive) => {
    const store = memoryStore();
    const mid = { model: doing('mid', ['delegate', { to: 'low' }]) };
    const agent = await createAgent({
      name: 'root',
      model: doing('root', ['delegate', { to: 'mid' }], ['begin', { to: 'side' }]),
      tools: [delegate({ mid, low: { model: doing('low') } }), beside({ side: { model: doing('side') } })],
      store,
      log: 'silent',
    });
    await submitRun(store, 's', 'Go', { agent: 'root' });
    const lines: string[] = [];
    const follow = async (): Promise<void> => {
      for await (const event of followRun(store, 's', { children: true, intervalMs: 1 }))
        lines.push(lineOf(event));
    };
    if (isLive) await Promise.all([follow(), agent.resume('s')]);
    else {
      await agent.resume('s');
      await follow();
    }
    const side = lines.filter((line) => line.startsWith('side: '));
    expect(side).toEqual(['side: message Do the work of side.', 'side: message side is done.']);
    expect(lines.filter((line) => !side.includes(line) && !/child_/.test(line))).toEqual([
      'message Go',
      'message ',
      'mid: message Do the work of mid.',
      'mid: message ',
      'mid: low: message Do the work of low.',
      'mid: low: message low is done.',
      'mid: tool-end low is done.',
      'mid: message mid is done.',
      'tool-end mid is done.',
      'message root is done.',
      'run-end',
    ]);
  },
);

it('a follower that does not ask for children gets none', async () => {
  const store = memoryStore();
  const agent = await createAgent({
    model: doing('root', ['delegate', { to: 'mid' }]),
    tools: [delegate({ mid: { model: doing('mid') } })],
    store,
    log: 'silent',
  });
  await agent.run('Go', { sessionId: 's' });
  const types: string[] = [];
  for await (const { type } of followRun(store, 's')) types.push(type);
  expect(types).toEqual(['message', 'message', 'tool-end', 'message', 'run-end']);
});
