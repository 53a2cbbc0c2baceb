import { expect, it } from 'vitest';

import { isKnownBeginning, noteBeginning } from './is-known-beginning.ts';

const [short, long, other, unknown, ownShort, ownLong] = [
  [1, 2],
  [1, 2, 3],
  [1, 2, 3],
  [1, 2, 3],
  [1, 2],
  [1, 2, 3],
];
const [growing, another] = [
  [1, 2, 3, 4],
  [1, 2, 3],
];
noteBeginning(short, growing);
noteBeginning(long, growing);
noteBeginning(other, another);

it.each([
  ['lists of one growing list', short, 2, long, true],
  ['fewer items of it', long, 1, short, true],
  ['as many as both have', long, 2, short, true],
  ['more than the list has', long, 3, short, false],
  ['more than the list before has', short, 3, long, false],
  ['the same list', unknown, 3, unknown, true],
  ['the same list, but longer than it is', unknown, 4, unknown, false],
  ['lists of two growing lists, although they are equal', long, 3, other, false],
  ['a list that nobody noted', unknown, 2, long, false],
  ['a list after one that somebody noted', long, 2, unknown, false],
  ['two lists that nobody noted', ownShort, 2, ownLong, false],
])('the beginning of a list is known without a look at its items: %s', (_, before, length, list, isKnown) => {
  expect(isKnownBeginning(before, length, list)).toBe(isKnown);
});
