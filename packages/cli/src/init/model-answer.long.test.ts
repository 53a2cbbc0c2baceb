import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { providerNeeds } from '@shallot/core/command';
import { expect, it } from 'vitest';

import { makeAdvised } from '../../test/faulty-projects/advised-projects.ts';
import { variablesOf } from './model-answer.ts';

const address = 'http://127.0.0.1:9/v1';

/** A project in which every provider's package is installed. */
const emptyProject = () => makeAdvised({ fault: '', files: {}, code: '', fix: '' });

it.each(Object.entries(providerNeeds))('init writes a model of %s that is ready', async (name, needs) => {
  const project = emptyProject();
  const flags = needs.needsURL === true ? ['--base-url', address] : [];
  const made = await project.here(['init', '--model', `${name}/some-model`, ...flags]);
  expect(made).toMatchObject({ status: 0, stderr: '' });
  // All that doctor would ask for is said.
  const variables = variablesOf(needs);
  for (const variable of variables) expect(made.stdout).toContain(`${variable}=…`);
  const key = 'a-value-of-sixteen';
  project.write({ '.env': variables.map((variable) => `${variable}=${key}\n`).join('') });
  const { status, stdout } = await project.here(['doctor']);
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: expect.stringContaining('Nothing is wrong.') as string,
  });
  expect((await project.here(['inspect'])).stdout).toMatch(new RegExp(`^model +${name}/some-model$`, 'm'));
});

it.each(Object.entries(providerNeeds).filter(([, { needsURL }]) => needsURL === true))(
  'init does not write a model of %s without its address',
  async (name) => {
    const project = emptyProject();
    const { status, stderr } = await project.here(['init', '--yes', '--model', `${name}/qwen3`]);
    expect(status).toBe(2);
    expect(stderr).toContain(`The provider "${name}" has no address of its own. Add --base-url`);
    expect(() => readFileSync(join(project.folder, 'shallot.config.yaml'))).toThrow('ENOENT');
  },
);
