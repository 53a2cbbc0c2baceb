import { setImmediate as tick } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { attempt, attempted } from './attempt.ts';

it('a function that succeeds has no failure, and is over by then', async () => {
  let isOver = false;
  const failure = await attempt(async () => {
    await tick();
    isOver = true;
  });
  expect([failure, isOver]).toEqual([undefined, true]);
});

it.each([
  ['an error', new Error('broken'), new Error('broken')],
  ['a string', 'broken', 'broken'],
  ['nothing', undefined, new Error('undefined was thrown')],
])('the failure of a function holds what it threw: %s', async (_, thrown, error) => {
  const rejected = attempt(() => Promise.reject(thrown));
  const threw = attempt(() => {
    throw thrown;
  });
  expect(await Promise.all([rejected, threw])).toEqual([{ error }, { error }]);
});

it('a function that throws at once rejects', async () => {
  const failing = attempted(() => {
    throw new Error('broken');
  });
  await expect(failing).rejects.toThrow('broken');
  expect(await attempted(() => 1)).toBe(1);
});
