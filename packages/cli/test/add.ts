import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from 'vitest';

import type { Project } from './project.ts';
import { publishPlugin, registryProject, startRegistry } from './registry.ts';

/** Only the environment variables that package managers need. */
export const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };

export function read(project: Project, path: string): string {
  return readFileSync(join(project.folder, path), 'utf8');
}

/**
 * Creates a project and a registry with a plugin to add. `expectUnchanged` fails if the files that a failure must leave
 * alone have changed since.
 */
export async function prepared(files: Readonly<Record<string, string>> = {}) {
  const registry = await startRegistry();
  publishPlugin(registry, 'shallot-plugin-tickets', '1.0.0');
  const project = registryProject(registry, files);
  const kept = ['package.json', 'pnpm-lock.yaml', 'shallot.config.yaml', 'pnpm-workspace.yaml'];
  const before = kept.map((path) => read(project, path));
  return {
    registry,
    project,
    add: (...args: readonly string[]) => project.here(['add', ...args], { env }),
    expectUnchanged: () => {
      expect(kept.map((path) => read(project, path))).toEqual(before);
      expect(existsSync(join(project.folder, '.shallot/change'))).toBe(false);
    },
  };
}
