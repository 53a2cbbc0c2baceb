import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { hookNames } from '@shallot/core/plugin';
import { expect, it } from 'vitest';

import { testCreated } from '../../test/create-plugin/created.ts';
import { makeProject } from '../../test/project.ts';

it('create-plugin writes a plugin that passes its own tests, with all hooks and state', async () => {
  const project = makeProject({});
  const args = ['create-plugin', '@acme/daily-budget', '--hook', ...hookNames, '--state', '--author', 'Ann'];
  const made = await project.here(args);
  expect(made).toMatchObject({ status: 0, stderr: '' });
  expect(made.stdout).toContain('cd shallot-plugin-daily-budget && npm install && npm test');
  const folder = join(project.folder, 'shallot-plugin-daily-budget');
  expect(await testCreated(folder)).toMatch(/2 passed[^]*25 passed/);
  expect(readFileSync(join(folder, 'LICENSE'), 'utf8')).toContain('Ann');
});
