import { expect, it } from 'vitest';

import { playPolicyTree } from './play-policy-tree.ts';

// Three hundred are played by the long tests.
it.each([1, 2, 3, 4])('the policy of the root holds in all of tree %i', async (seed) => {
  const { tried } = await playPolicyTree(seed);
  const wrong = tried.filter(({ fate }) => !['denied', 'asked about', 'no such tool'].includes(fate));
  expect(wrong).toEqual([]);
  // Nothing but the policy keeps the calls from being executed.
  const free = (await playPolicyTree(seed, true)).tried;
  expect(free.map(({ mark, fate }) => ({ mark, fate }))).toEqual(
    tried.map(({ mark, fate }) => ({ mark, fate: fate === 'no such tool' ? fate : 'got through' })),
  );
});
