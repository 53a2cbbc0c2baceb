import { expect, it } from 'vitest';

import { makeProject, pluginModule } from '../../test/test-project.ts';
import { diagnose } from './diagnose.ts';

it('a diagnosis lists the plugins of all entries, disabled ones included', async () => {
  const project = makeProject({
    'shallot.config.yaml': 'model: offline\nplugins: [./bee.mjs, { use: ./wasp.mjs, enabled: false }]\n',
    'bee.mjs': pluginModule('bee'),
  });
  const { listed, plugins } = await diagnose({ cwd: project.directory, env: {} });
  expect(listed).toEqual(['./bee.mjs', './wasp.mjs']);
  expect(plugins).toMatchObject([{ name: './bee.mjs', stage: 'ready' }]);
});
