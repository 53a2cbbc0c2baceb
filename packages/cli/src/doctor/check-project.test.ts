import { join } from 'node:path';

import { expect, it } from 'vitest';

import { makeProject } from '../../test/project.ts';
import { projectAround } from '../project/find-project.ts';
import { coreOfCommand } from './check-project.ts';

const core = (version: string): string => JSON.stringify({ name: '@shallot/core', version });

it('a command with another core than the project is found, with both', () => {
  const { folder } = makeProject({
    'shallot.config.yaml': 'model: offline\n',
    'global/node_modules/@shallot/core/package.json': core('0.0.1'),
    'app/node_modules/@shallot/core/package.json': core('0.0.2'),
    'copy/node_modules/@shallot/core/package.json': core('0.0.2'),
  });
  const around = (name: string) => projectAround(join(folder, name, 'shallot.config.yaml'));
  expect(coreOfCommand(around('app'), join(folder, 'app'))).toEqual([]);
  expect(coreOfCommand(around('app'), join(folder, 'copy'))).toEqual([]);
  expect(coreOfCommand(around('app'), join(folder, 'global'))).toMatchObject([
    {
      level: 'warning',
      code: 'CORE_DUPLICATE',
      reason: expect.stringMatching(
        /uses @shallot\/core 0\.0\.1 \(.*global.*\); the project has 0\.0\.2 \(.*app.*\)\. .*shallot upgrade shallot/,
      ) as string,
    },
  ]);
});
