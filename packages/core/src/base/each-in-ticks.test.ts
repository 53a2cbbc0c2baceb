import { expect, it, onTestFinished, vi } from 'vitest';

import { eachInTicks } from './each-in-ticks.ts';

it.each([
  ['other work runs after every ten milliseconds', 5, [0, 0, 1, 1, 2, 2, 3]],
  ['work that takes no time stays in one tick', 0, [0, 0, 0, 0, 0, 0, 0]],
  ['an item that takes long has a tick of its own', 11, [0, 1, 2, 3, 4, 5, 6]],
])('items are visited in order: %s', async (_, msEach, ticks) => {
  let clock = 1000;
  const now = vi.spyOn(performance, 'now').mockImplementation(() => clock);
  onTestFinished(() => now.mockRestore());
  let tick = 0;
  let next = setImmediate(function count() {
    tick += 1;
    next = setImmediate(count);
  });
  onTestFinished(() => clearImmediate(next));
  const visited: unknown[] = [];
  const items = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  await eachInTicks(items, (item, index) => {
    visited.push([item, index, tick]);
    clock += msEach;
  });
  expect(visited).toEqual(items.map((item, index) => [item, index, ticks[index]]));
});
