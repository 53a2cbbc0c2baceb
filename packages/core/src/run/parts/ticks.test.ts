import { setImmediate as tick } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { createAgent } from '../../create-agent.ts';
import { mostInTick, Ticks } from './ticks.ts';

/** Ends so many. */
function end(ticks: Ticks, count: number): void {
  for (let index = 0; index < count; index += 1) ticks.end();
}

it('lets so many begin in a tick, and the others in the order they came', async () => {
  const ticks = new Ticks();
  const begun: number[] = [];
  for (let index = 0; index < 2 * mostInTick + 1; index += 1) {
    const mine = ticks.begin();
    if (mine === undefined) begun.push(index);
    else void mine.then(() => begun.push(index));
  }
  expect(begun).toHaveLength(mostInTick);
  await tick();
  expect(begun).toHaveLength(2 * mostInTick);
  // A task that begins late waits behind the others.
  const late = ticks.begin();
  expect(late).toBeInstanceOf(Promise);
  void late?.then(() => begun.push(-1));
  await tick();
  expect(begun).toEqual([...Array.from({ length: 2 * mostInTick + 1 }, (_, index) => index), -1]);
  await tick();
  expect(ticks.begin()).toBeUndefined();
  end(ticks, 2 * mostInTick + 3);
});

it('lets others in with the next tick, not when those before them have ended', async () => {
  const ticks = new Ticks();
  for (let index = 0; index < mostInTick; index += 1) void ticks.begin();
  let begun = 0;
  for (let index = 0; index < 3; index += 1) void ticks.begin()?.then(() => (begun += 1));
  end(ticks, mostInTick);
  await Promise.resolve();
  expect(begun).toBe(0);
  await tick();
  expect(begun).toBe(3);
  end(ticks, 3);
});

it('leaves a tick of the event loop between every twenty of many runs that wait for nothing', async () => {
  const agent = await createAgent({
    model: {
      id: 'test/at-once',
      generate: async () => ({
        message: { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
        finish: 'stop',
      }),
    },
    log: 'silent',
  });
  let inTick = 0;
  let most = 0;
  let ticksBetween = 0;
  let isOver = false;
  const count = (): void => {
    most = Math.max(most, inTick);
    inTick = 0;
    ticksBetween += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const runs = Array.from({ length: 5000 }, () => agent.run('go').then(() => (inTick += 1)));
  await Promise.all(runs);
  isOver = true;
  expect(most).toBeLessThanOrEqual(mostInTick);
  expect(ticksBetween).toBeGreaterThanOrEqual(5000 / mostInTick - 1);
});

it('is not asked for by those that follow each other', () => {
  const ticks = new Ticks();
  for (let index = 0; index < 3 * mostInTick; index += 1) {
    expect(ticks.begin()).toBeUndefined();
    end(ticks, 1);
  }
});
