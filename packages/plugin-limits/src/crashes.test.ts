import { expect, it } from 'vitest';

import { wrongCounts } from '../test/crashes.ts';

// Many more are tried by the long tests.
it.each(Array.from({ length: 10 }, (_, index) => index + 1))(
  'counts are exact under crashes %i',
  async (seed) => {
    expect(await wrongCounts(seed)).toEqual([]);
  },
);
