import { expect, it } from 'vitest';

import { advisedProjects, makeAdvised } from './advised-projects.ts';
import { reviewProject } from './review-project.ts';

it('there are more than a hundred faults, each one once', () => {
  expect(advisedProjects.length).toBeGreaterThan(100);
  expect(new Set(advisedProjects.map(({ fault }) => fault)).size).toBe(advisedProjects.length);
});

it('nearly all name a place, and nearly all are mended by a line', () => {
  const share = (count: number): number => count / advisedProjects.length;
  expect(share(advisedProjects.filter(({ at }) => at === undefined).length)).toBeLessThan(0.05);
  expect(share(advisedProjects.filter(({ obey }) => obey === undefined).length)).toBeLessThan(0.15);
});

// The others need a process of their own, or are about one.
const quick = advisedProjects.filter(({ args, stdin }) => args?.[0] === 'doctor' && stdin === undefined);

it.each(quick.filter((_, index) => index % 8 === 0))('doctor says what to write: $fault', async (faulty) => {
  const ended = await makeAdvised(faulty).here(['doctor']);
  expect(reviewProject(faulty, { ...ended, stderr: ended.stdout })).toEqual([]);
});
