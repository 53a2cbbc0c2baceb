import { expect, it } from 'vitest';

import { playRandomStack } from './random-stack.ts';

it.each(Array.from({ length: 2000 }, (_, index) => index + 1))(
  'stack %i does what the table says',
  async (seed) => {
    expect(await playRandomStack(seed)).toEqual([]);
  },
);
