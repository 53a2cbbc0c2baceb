import { expect, it } from 'vitest';

import {
  abort,
  afterEffects,
  aroundCommits,
  beforeTurns,
  kill,
  sweep,
  undisturbed,
} from '../../test/programs/crash-sweep.ts';

const { commits, ...kept } = await undisturbed();

it('a run that is killed at any point goes on as if nothing had happened', async () => {
  const points = [...aroundCommits(commits), ...afterEffects, ...beforeTurns];
  // The number of commits depends on timing, because several may become one.
  expect(await sweep(kill, points, kept)).toBeGreaterThan(points.length * 0.85);
});

it('a run that is aborted at any point goes on as if nothing had happened', async () => {
  const points = aroundCommits(commits);
  expect(await sweep(abort, points, kept)).toBeGreaterThan(points.length * 0.9);
});
