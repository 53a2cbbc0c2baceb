import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { makeProject, type Project } from '../project.ts';
import { advisedCode } from './advised-code.ts';
import { advisedGuards } from './advised-guards.ts';
import { advisedModels } from './advised-models.ts';
import type { AdvisedProject } from './advised-project.ts';
import { advisedServers } from './advised-servers.ts';
import { advisedStores } from './advised-stores.ts';
import { advisedTools } from './advised-tools.ts';
import { drawnConfigs } from './drawn-configs.ts';
import { drawnGuards } from './drawn-guards.ts';
import { drawnModels } from './drawn-models.ts';
import { drawnTools } from './drawn-tools.ts';

export const advisedProjects: readonly AdvisedProject[] = [
  ...advisedModels,
  ...advisedTools,
  ...advisedServers,
  ...advisedGuards,
  ...advisedStores,
  ...advisedCode,
  ...drawnConfigs,
  ...drawnModels,
  ...drawnGuards,
  ...drawnTools,
];

const packages = fileURLToPath(new URL('../../../', import.meta.url));
const modules = join(packages, 'model-ai-sdk/node_modules');

/**
 * Makes a project in which all packages of the repository and all model providers are installed. Its package.json lists
 * the plugins that its config names now or after the advice.
 */
export function makeAdvised({ files, obey }: AdvisedProject): Project {
  // A word in code may equal the name of a plugin by chance, for example the name of a hook.
  const withoutCode = (path: string, value: unknown): unknown => (/\.[jt]s$|\.mjs$/.test(path) ? '' : value);
  const config = [files['shallot.config.yaml'], obey];
  const named = JSON.stringify(config, withoutCode).replaceAll('store: memory', '');
  const ours = readdirSync(packages)
    .filter((folder) => folder.startsWith('plugin-') && named.includes(folder.slice('plugin-'.length)))
    .map((folder) => `@shallot/${folder}`);
  const others = Object.keys(files).flatMap(
    (path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/.exec(path)?.[1] ?? [],
  );
  const dependencies = Object.fromEntries([...ours, ...others].map((name) => [name, '*']));
  const manifest = { type: 'module', dependencies };
  const project = makeProject({ 'package.json': JSON.stringify(manifest), ...files });
  const installed = join(project.folder, 'node_modules');
  for (const folder of readdirSync(packages)) {
    if (/^(?:plugin|store)-/.test(folder)) link(join(packages, folder), join(installed, '@shallot', folder));
  }
  for (const scope of ['@ai-sdk', '@openrouter']) {
    mkdirSync(join(installed, scope));
    for (const name of readdirSync(join(modules, scope)))
      link(join(modules, scope, name), join(installed, scope, name));
  }
  return project;
}

function link(target: string, path: string): void {
  try {
    symlinkSync(target, path, 'dir');
  } catch (error) {
    // `makeProject` has already linked some of them.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
