import { expect, it } from 'vitest';

import { isThorough } from '../../../scripts/is-thorough.ts';
import { playRandomStack } from './random-stack.ts';

it.each(Array.from({ length: isThorough ? 2000 : 400 }, (_, index) => index + 1))(
  'stack %i does what the table says',
  async (seed) => {
    expect(await playRandomStack(seed)).toEqual([]);
  },
);
