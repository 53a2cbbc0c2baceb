import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { makeProject } from '../project.ts';
import { faultyPackages } from './faulty-packages.ts';
import { faultySetups } from './faulty-setups.ts';
import { reviewProject } from './review-project.ts';

const projects = [...faultyPackages, ...faultySetups];

it('there are more than fifty faults, each one once', () => {
  expect(projects.length).toBeGreaterThan(50);
  expect(new Set(projects.map(({ fault }) => fault)).size).toBe(projects.length);
});

// Each in a process of its own: Node imports a package once.
it.each(projects)('doctor finds $fault; repaired, it finds nothing', { timeout: 60_000 }, async (faulty) => {
  const project = makeProject(faulty.files);
  const before = await project.run(['doctor']);
  expect(before.stderr).toBe('');
  expect(reviewProject(faulty, { ...before, stderr: before.stdout })).toEqual([]);
  for (const [path, content] of Object.entries(faulty.repair)) {
    if (content === null) rmSync(join(project.folder, path));
    else project.write({ [path]: content });
  }
  expect(await project.run(['doctor'])).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/Nothing is wrong\.\n$/) as string,
  });
});
