import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it, vi } from 'vitest';

import { makeProject } from './test-project.ts';

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const agent = {
  'shallot.config.yaml': 'model: ./model.ts\n',
  'model.ts': 'export default { id: "a/b", generate() {} };',
};

/** Whether the command, run in a fresh temporary directory, leaves a cache there. */
async function keepsCache(env: NodeJS.ProcessEnv): Promise<boolean> {
  const project = makeProject(agent);
  const folder = join(project.folder, 'tmp');
  mkdirSync(folder);
  const { status, stderr } = await project.run(['inspect'], {
    env: { NODE_COMPILE_CACHE: undefined, TMPDIR: folder, TEMP: folder, TMP: folder, ...env },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return existsSync(join(folder, 'node-compile-cache'));
}

it('keeps compiled code for the next start, unless it is told not to', async () => {
  expect(await keepsCache({})).toBe(true);
  expect(await keepsCache({ NODE_DISABLE_COMPILE_CACHE: '1' })).toBe(false);
});
