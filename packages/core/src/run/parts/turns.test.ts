import { setImmediate as turn } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { mostInTurn, Turns } from './turns.ts';

/** Ends so many. */
function end(turns: Turns, count: number): void {
  for (let index = 0; index < count; index += 1) turns.end();
}

it('lets so many begin in a turn, and the others in the order they came', async () => {
  const turns = new Turns();
  const begun: number[] = [];
  for (let index = 0; index < 2 * mostInTurn + 1; index += 1) {
    const mine = turns.begin();
    if (mine === undefined) begun.push(index);
    else void mine.then(() => begun.push(index));
  }
  expect(begun).toHaveLength(mostInTurn);
  await turn();
  expect(begun).toHaveLength(2 * mostInTurn);
  // Whoever comes now comes after those who wait.
  const late = turns.begin();
  expect(late).toBeInstanceOf(Promise);
  void late?.then(() => begun.push(-1));
  await turn();
  expect(begun).toEqual([...Array.from({ length: 2 * mostInTurn + 1 }, (_, index) => index), -1]);
  await turn();
  expect(turns.begin()).toBeUndefined();
  end(turns, 2 * mostInTurn + 3);
});

it('lets others in when all have ended, also while no turn comes', async () => {
  const turns = new Turns();
  for (let index = 0; index < mostInTurn; index += 1) void turns.begin();
  let begun = 0;
  for (let index = 0; index < 3; index += 1) void turns.begin()?.then(() => (begun += 1));
  end(turns, mostInTurn - 1);
  await Promise.resolve();
  expect(begun).toBe(0);
  end(turns, 1);
  await Promise.resolve();
  expect(begun).toBe(3);
  end(turns, 3);
});

it('is not asked for by those that follow each other', () => {
  const turns = new Turns();
  for (let index = 0; index < 3 * mostInTurn; index += 1) {
    expect(turns.begin()).toBeUndefined();
    end(turns, 1);
  }
});
