import { expect, it } from 'vitest';

import { playRandomStack } from './random-stack.ts';

/** All of it, which takes hours with the other tests; else a part. */
const isThorough = process.env['SHALLOT_THOROUGH'] === '1';

it.each(Array.from({ length: isThorough ? 2000 : 400 }, (_, index) => index + 1))(
  'stack %i does what the table says',
  async (seed) => {
    expect(await playRandomStack(seed)).toEqual([]);
  },
);
