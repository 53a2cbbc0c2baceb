import { expect, it } from 'vitest';

import { advisedProjects, makeAdvised } from './advised-projects.ts';
import { reviewProject } from './review-project.ts';
import { tooManyExceptions } from './too-many-exceptions.ts';

it('there are more than a hundred faults, each one once', () => {
  expect(advisedProjects.length).toBeGreaterThan(100);
  expect(new Set(advisedProjects.map(({ fault }) => fault)).size).toBe(advisedProjects.length);
});

it('have a place and applied advice, all but two of a hundred', () => {
  expect(tooManyExceptions(advisedProjects)).toEqual([]);
});

// The others need a process of their own, or are about one.
const quick = advisedProjects.filter(({ args, stdin }) => args?.[0] === 'doctor' && stdin === undefined);

it.each(quick.filter((_, index) => index % 8 === 0))('doctor says what to write: $fault', async (faulty) => {
  const ended = await makeAdvised(faulty).here(['doctor']);
  expect(reviewProject(faulty, { ...ended, stderr: ended.stdout })).toEqual([]);
});
