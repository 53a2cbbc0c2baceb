import { expect, it } from 'vitest';

import { survive } from '../../../test/programs/background-sweep.ts';

// All commits are tried by the long tests.
it('a tree in the background goes on after its processes were killed', async () => {
  const killed = await Promise.all([
    survive([
      ['after', 3],
      ['before', 4],
    ]),
    survive([
      ['before', 9],
      ['after', 2],
    ]),
  ]);
  expect(killed).toEqual([2, 2]);
});
