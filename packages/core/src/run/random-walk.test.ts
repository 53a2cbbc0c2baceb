import { expect, it } from 'vitest';

import { walk } from '../../test/programs/random-walk.ts';

// Many more are tried by the long tests. The last come to a call that is in doubt a second time, and to an end that was
// decided before a hook failed.
const seeds = [1, 2, 3, 4, 14, 31, 51, 27, 37];

it.each(seeds)('walk %i ends as if nothing had happened', async (seed) => {
  expect((await walk(seed)).at(-1)).toContain('completed');
});

it('a walk is repeated by its seed', async () => {
  expect(await walk(2)).toEqual(await walk(2));
});
