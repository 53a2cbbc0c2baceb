import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { publishedFolder } from './published-packages.ts';

const model = `export default {
  id: 'bench/scripted',
  async generate() {
    return {
      message: { role: 'assistant', content: [{ type: 'text', text: 'As far as you like.' }] },
      usage: { input: 10, output: 5, total: 15 },
      finish: 'stop',
    };
  },
};
`;

/** A folder with a YAML config that lists `plugins` plugin packages, each a package of its own. */
export function createConfigFixture(plugins: number): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-bench-config-'));
  const names = Array.from({ length: plugins }, (_, index) => `shallot-plugin-layer-${index}`);

  writeJson(join(folder, 'package.json'), { name: 'bench-config', private: true, type: 'module' });
  writeFileSync(join(folder, 'model.js'), model);
  const lines = [
    'model: ./model.js',
    'instructions: Count.',
    'plugins:',
    ...names.map((name) => `  - ${name}`),
  ];
  writeFileSync(join(folder, 'shallot.config.yaml'), `${lines.join('\n')}\n`);

  mkdirSync(join(folder, 'node_modules', '@shallot'), { recursive: true });
  symlinkSync(publishedFolder('@shallot/core'), join(folder, 'node_modules', '@shallot', 'core'), 'dir');
  for (const name of names) writePlugin(join(folder, 'node_modules', name), name);

  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Loads the config of its working directory, and fails unless all plugins are there. */
export function loadingScript(plugins: number): string {
  return `import { loadAgent } from '@shallot/core/config';
const loaded = await loadAgent({ cwd: process.cwd() });
const agent = loaded.agent ?? loaded;
if (agent.plugins.length !== ${plugins}) throw new Error('plugins: ' + agent.plugins.length);`;
}

function writePlugin(folder: string, name: string): void {
  mkdirSync(folder);
  writeJson(join(folder, 'package.json'), {
    name,
    version: '1.0.0',
    type: 'module',
    exports: './index.js',
    peerDependencies: { '@shallot/core': '^0.1.0' },
    shallot: { plugin: name.replace('shallot-plugin-', ''), api: '^1.0.0' },
  });
  writeFileSync(
    join(folder, 'index.js'),
    `import { definePlugin } from '@shallot/core';

export default definePlugin({
  name: '${name.replace('shallot-plugin-', '')}',
  setup({ hooks }) {
    hooks.beforeModel.tap('pass', () => undefined);
    hooks.afterModel.tap('pass', () => undefined);
    hooks.wrapModelCall.tapPromise('pass', async (request, next) => await next(request));
    hooks.wrapToolCall.tapPromise('pass', async (call, next) => await next(call));
  },
});
`,
  );
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);
}
