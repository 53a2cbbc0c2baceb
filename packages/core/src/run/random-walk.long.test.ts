import { expect, it } from 'vitest';

import { ends } from '../../test/programs/deciding.ts';
import { doubtedAgain, walk } from '../../test/programs/random-walk.ts';

const seeds = Array.from({ length: 400 }, (_, index) => index + 1);
const came = new Set<string>();

it.each(seeds)('walk %i ends as if nothing had happened', async (seed) => {
  const path = await walk(seed);
  expect(path.at(-1)).toContain('completed');
  for (const what of path) came.add(what);
});

it('walks come through all that may happen to a run', () => {
  expect([...came]).toEqual(
    expect.arrayContaining([
      'kill: died',
      'abort: aborted',
      'stop: aborted',
      'fail: failed',
      'break: failed',
      ...ends.map((end) => `completed, end in ${end}: ${end === 'nowhere' ? 'answer' : 'limit'}`),
      'none: interrupted',
      'none: completed',
      doubtedAgain,
    ]),
  );
});
