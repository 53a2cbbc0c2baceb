import { expect, it } from 'vitest';

import {
  abort,
  afterEffects,
  beforeTurns,
  aroundCommits,
  kill,
  sweep,
  undisturbed,
} from '../../test/programs/crash-sweep.ts';

const { commits, ...kept } = await undisturbed();

// The long tests try every point.
it('a run that is killed goes on as if nothing had happened', async () => {
  expect(commits).toBeGreaterThan(20);
  const some = aroundCommits(commits).filter((_, index) => index % 18 === 0);
  const between = [...afterEffects, ...beforeTurns];
  expect(await sweep(kill, [...some, ...between], kept)).toBeGreaterThan(some.length * 0.7 + between.length);
});

it('a run that is aborted goes on as if nothing had happened', async () => {
  const some = aroundCommits(commits).filter((_, index) => index % 12 === 0);
  expect(await sweep(abort, some, kept)).toBeGreaterThan(some.length * 0.7);
});
