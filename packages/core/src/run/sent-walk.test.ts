import { expect, it } from 'vitest';

import { walkSent, type SentWalk } from '../../test/programs/sent-walk.ts';
import { memoryStore } from '../index.ts';

// Many more are tried by the long tests, on SQLite too.
it('messages of two senders are in the session exactly once, in order, over kills and aborts', async () => {
  const walks: SentWalk[] = [];
  for (let seed = 1; seed <= 20; seed += 1) walks.push(await walkSent(seed, memoryStore()));
  const sum = (count: (walk: SentWalk) => number): number =>
    walks.reduce((all, walk) => all + count(walk), 0);
  expect(sum(({ taken }) => taken)).toBeGreaterThan(100);
  expect(sum(({ deaths }) => deaths)).toBeGreaterThan(15);
  expect(sum(({ unsent }) => unsent)).toBeGreaterThan(3);
  expect(sum(({ refused }) => refused)).toBeGreaterThan(3);
});
