import { expect, it } from 'vitest';

import { survive } from '../../../test/programs/background-sweep.ts';

/** More than the tree has commits. */
const most = 60;

it('a tree in the background goes on after kills around each of its commits', async () => {
  let killed = 0;
  for (let commit = 1; commit <= most; commit += 1) {
    const second = (commit * 7) % 23;
    const all = await Promise.all([
      survive([
        ['before', commit],
        ['after', second],
      ]),
      survive([
        ['after', commit],
        ['before', second],
        ['after', 9],
      ]),
    ]);
    killed += all.reduce((sum, each) => sum + each, 0);
  }
  expect(killed).toBeGreaterThan(150);
});
