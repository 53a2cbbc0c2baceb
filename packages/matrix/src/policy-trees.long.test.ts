import { expect, it } from 'vitest';

import { playPolicyTree, type TriedAttempt } from './play-policy-tree.ts';

const seeds = Array.from({ length: 300 }, (_, index) => index + 1);

it('the policy of the root holds in three hundred trees', async () => {
  const all: TriedAttempt[] = [];
  let forbidding = 0;
  for (const seed of seeds) {
    const { tried } = await playPolicyTree(seed);
    all.push(...tried);
    if (tried.some(({ fate }) => fate === 'denied' || fate === 'asked about')) forbidding += 1;
  }
  const count = (what: (attempt: TriedAttempt) => string): object =>
    Object.fromEntries(Array.from(Map.groupBy(all, what), ([key, { length }]) => [key, length]));
  expect({ trees: seeds.length, forbidding, calls: all.length }).toMatchInlineSnapshot(`
    {
      "calls": 3042,
      "forbidding": 270,
      "trees": 300,
    }
  `);
  expect(count(({ fate }) => fate)).toMatchInlineSnapshot(`
    {
      "asked about": 1271,
      "denied": 1500,
      "no such tool": 271,
    }
  `);
  expect(count(({ way }) => way)).toMatchInlineSnapshot(`
    {
      "alias": 541,
      "asked more": 385,
      "edited by a layer": 408,
      "edited by a person": 237,
      "grant": 532,
      "own name": 418,
      "prefix": 359,
      "taken from the parent": 162,
    }
  `);
  expect(count(({ depth }) => `at depth ${depth}`)).toMatchInlineSnapshot(`
    {
      "at depth 0": 139,
      "at depth 1": 637,
      "at depth 2": 924,
      "at depth 3": 1342,
    }
  `);
  expect(count(({ isBackground }) => (isBackground ? 'background' : 'waited for'))).toMatchInlineSnapshot(`
    {
      "background": 1316,
      "waited for": 1726,
    }
  `);
});
