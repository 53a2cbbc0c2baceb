import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { env } from './add.ts';
import { publishPlugin, registryProject, startRegistry } from './registry.ts';

/** Makes a project with the plugin `tickets` 1.0.0 and a registry to upgrade it from. */
export async function withTickets(config = '') {
  const registry = await startRegistry();
  publishPlugin(registry, 'shallot-plugin-tickets', '1.0.0');
  const project = registryProject(registry);
  const call = (...args: readonly string[]) => project.here(args, { env });
  await call('add', 'tickets');
  if (config !== '') project.write({ 'shallot.config.yaml': config });
  const read = (path: string): string => readFileSync(join(project.folder, path), 'utf8');
  const kept = ['package.json', 'pnpm-lock.yaml', 'shallot.config.yaml'];
  return { registry, project, call, read, all: () => kept.map(read) };
}
