import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

import { makeProject, modelModule, pluginPackage } from '../../test/test-project.ts';

const ten = [...Array(10).keys()];

it('of ten enabled and ten disabled plugins, no file of a disabled one is read', async () => {
  const entries = ten.flatMap((index) => [
    `  - on${index}`,
    `  - { use: ${index % 2 === 0 ? `off${index}` : `./off${index}.mjs`}, enabled: false }`,
  ]);
  const project = makeProject({
    'model.mjs': modelModule,
    'shallot.config.yaml': ['model: ./model.mjs', 'plugins:', ...entries, ''].join('\n'),
    ...Object.fromEntries(ten.flatMap((index) => Object.entries(pluginPackage(`shallot-plugin-on${index}`)))),
    'load.mjs': `
      import { loadAgent } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))};
      const { agent } = await loadAgent();
      console.log(agent.plugins.map(({ id }) => id).join(' '));
      await agent.close();`,
  });
  // Opening a pipe that nobody writes to takes for ever.
  const pipes = ten.flatMap((index) => {
    const folder = `node_modules/shallot-plugin-off${index}`;
    return index % 2 === 0 ? [`${folder}/package.json`, `${folder}/index.js`] : [`off${index}.mjs`];
  });
  for (const pipe of pipes.map((name) => project.path(name))) {
    mkdirSync(dirname(pipe), { recursive: true });
    execFileSync('mkfifo', [pipe]);
  }
  const { stdout } = await promisify(execFile)(process.execPath, ['load.mjs'], {
    cwd: project.directory,
    timeout: 50_000,
    killSignal: 'SIGKILL',
  });
  expect(stdout).toBe(`${ten.map((index) => `on${index}`).join(' ')}\n`);
});
