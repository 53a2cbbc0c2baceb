import { expect, it } from 'vitest';

import { makeProject } from '../project.ts';
import { faultyPackages } from './faulty-packages.ts';
import { faultySetups } from './faulty-setups.ts';
import { reviewProject } from './review-project.ts';
import { tooManyExceptions } from './too-many-exceptions.ts';

const projects = [...faultyPackages, ...faultySetups];

it('have a place and applied advice, all but two of a hundred', () => {
  expect(tooManyExceptions(projects)).toEqual([]);
});

it.each(projects.filter((_, index) => index % 4 === 0))('doctor finds $fault', async (faulty) => {
  const ended = await makeProject(faulty.files).here(['doctor']);
  expect(reviewProject(faulty, { ...ended, stderr: ended.stdout })).toEqual([]);
});
