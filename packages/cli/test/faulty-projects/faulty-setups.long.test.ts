import { expect, it } from 'vitest';

import { makeProject } from '../project.ts';
import { faultsAfterAdvice } from './faults-after-advice.ts';
import { faultyPackages } from './faulty-packages.ts';
import { faultySetups } from './faulty-setups.ts';
import { reviewProject } from './review-project.ts';

const projects = [...faultyPackages, ...faultySetups];

it('there are more than fifty faults, each one once', () => {
  expect(projects.length).toBeGreaterThan(50);
  expect(new Set(projects.map(({ fault }) => fault)).size).toBe(projects.length);
});

it.each(projects)('doctor finds $fault; what is advised mends it', { timeout: 60_000 }, async (faulty) => {
  const before = await makeProject(faulty.files).run(['doctor']);
  expect(before.stderr).toBe('');
  expect(reviewProject(faulty, { ...before, stderr: before.stdout })).toEqual([]);
  expect(await faultsAfterAdvice(faulty, before)).toEqual([]);
});
