import { describe, expect, it } from 'vitest';

import { playRandomStack } from './random-stack.ts';
import { seed } from './random.ts';

const seeds = Array.from({ length: 12 }, (_, index) => seed + index);

// Many more are tried by the long tests.
describe(`random stacks, by SHALLOT_SEED=${seed}`, () => {
  it.each(seeds)('stack %i does what the table says', async (each) => {
    expect(await playRandomStack(each)).toEqual([]);
  });
});
