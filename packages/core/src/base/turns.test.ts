import { setImmediate as turn } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { mostInTurn, turnToBegin } from './turns.ts';

it('lets so many begin in a turn, and the others in the order they came', async () => {
  await turn();
  const begun: number[] = [];
  for (let index = 0; index < 2 * mostInTurn + 1; index += 1) {
    const mine = turnToBegin();
    if (mine === undefined) begun.push(index);
    else void mine.then(() => begun.push(index));
  }
  expect(begun).toHaveLength(mostInTurn);
  await turn();
  expect(begun).toHaveLength(2 * mostInTurn);
  // Whoever comes now comes after those who wait.
  const late = turnToBegin();
  expect(late).toBeInstanceOf(Promise);
  void late?.then(() => begun.push(-1));
  await turn();
  expect(begun).toEqual([...Array.from({ length: 2 * mostInTurn + 1 }, (_, index) => index), -1]);
  await turn();
  expect(turnToBegin()).toBeUndefined();
});
