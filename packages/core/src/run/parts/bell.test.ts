import { expect, it } from 'vitest';

import { attend, heed, ring, type Bell } from './bell.ts';

const newBell = (): Bell => ({ isRung: false, attendant: undefined });

it('a bell is heeded once each time that it rings', () => {
  const bell = newBell();
  expect(heed(bell)).toBe(false);
  ring(bell);
  ring(bell);
  expect([heed(bell), heed(bell)]).toEqual([true, false]);
});

it('an attendant is called at each ring, and at once if it has rung before', () => {
  const bell = newBell();
  const calls: string[] = [];
  attend(bell, () => calls.push('first'));
  expect(calls).toEqual([]);
  ring(bell);
  attend(bell, () => calls.push('second'));
  ring(bell);
  attend(bell, undefined);
  ring(bell);
  expect(calls).toEqual(['first', 'second', 'second']);
});
