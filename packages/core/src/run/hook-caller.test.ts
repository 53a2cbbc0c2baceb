import { expect, it } from 'vitest';

import type { LiveTap } from '../hooks/live-tap.ts';
import { firstTap } from './hook-caller.ts';

const taps = ['a', 'b', 'c'].map((key) => ({ key }) as LiveTap);

it.each([
  ['at its first tap without a position', {}, 0],
  ['at the tap that it stopped at', { tap: 'b', rest: ['c'] }, 1],
  ['at the next tap if that one is gone', { tap: 'gone', rest: ['c'] }, 2],
  ['at the first of those that were left', { rest: ['b', 'c'] }, 1],
  ['after its taps if all that were left are gone', { tap: 'gone', rest: ['gone too'] }, 3],
  ['after its taps if none was left after one that is gone', { tap: 'gone', rest: [] }, 3],
  ['at its first tap if the record does not name those that were left', { tap: 'gone' }, 0],
])('a resumed hook goes on %s', (_, standing, first) => {
  expect(firstTap(taps, standing)).toBe(first);
});
