import { expect, it } from 'vitest';

import { wrongCounts } from '../test/crashes.ts';

it.each(Array.from({ length: 200 }, (_, index) => index + 1))(
  'counts are exact under crashes %i',
  async (seed) => {
    expect(await wrongCounts(seed)).toEqual([]);
  },
);
