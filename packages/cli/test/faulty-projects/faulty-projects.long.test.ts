import { expect, it } from 'vitest';

import { makeProject } from '../project.ts';
import { faultsAfterAdvice } from './faults-after-advice.ts';
import { faultyConfigs } from './faulty-configs.ts';
import { faultyKeys } from './faulty-keys.ts';
import { faultyModules } from './faulty-modules.ts';
import { faultyNames } from './faulty-names.ts';
import { faultyPlugins } from './faulty-plugins.ts';
import { faultyRuns } from './faulty-runs.ts';
import { faultyShapes } from './faulty-shapes.ts';
import { reviewProject } from './review-project.ts';

const projects = [
  ...faultyConfigs,
  ...faultyKeys,
  ...faultyModules,
  ...faultyNames,
  ...faultyPlugins,
  ...faultyRuns,
  ...faultyShapes,
];

it('there are more than a hundred faults, each one once', () => {
  expect(projects.length).toBeGreaterThan(100);
  expect(new Set(projects.map(({ files, args, env }) => JSON.stringify({ files, args, env }))).size).toBe(
    projects.length,
  );
});

it.each(projects)('$fault; what is advised mends it', { timeout: 60_000 }, async (faulty) => {
  const ended = await makeProject(faulty.files).run(faulty.args ?? ['inspect'], { env: faulty.env });
  expect(reviewProject(faulty, ended)).toEqual([]);
  expect(await faultsAfterAdvice(faulty, ended)).toEqual([]);
});
