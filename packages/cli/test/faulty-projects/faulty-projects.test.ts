import { expect, it } from 'vitest';

import { makeProject } from '../project.ts';
import { faultyConfigs } from './faulty-configs.ts';
import { faultyKeys } from './faulty-keys.ts';
import { faultyModules } from './faulty-modules.ts';
import { faultyNames } from './faulty-names.ts';
import { faultyPlugins } from './faulty-plugins.ts';
import { faultyRuns } from './faulty-runs.ts';
import { faultyShapes } from './faulty-shapes.ts';
import { reviewProject } from './review-project.ts';
import { tooManyExceptions } from './too-many-exceptions.ts';

const all = [
  ...faultyConfigs,
  ...faultyKeys,
  ...faultyModules,
  ...faultyNames,
  ...faultyPlugins,
  ...faultyRuns,
  ...faultyShapes,
];

it('have a place and applied advice, all but two of a hundred', () => {
  expect(tooManyExceptions(all)).toEqual([]);
});

// Faults that float, or end the process, need a process of their own.
const projects = all.filter(({ code }, index) => index % 6 === 0 && code !== 'UNCAUGHT');

it.each(projects)('$fault', async (faulty) => {
  const { files, args = ['inspect'], env = {} } = faulty;
  const ended = await makeProject(files).here(args, { env });
  expect(reviewProject(faulty, ended)).toEqual([]);
});
