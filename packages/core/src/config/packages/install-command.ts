import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { parseManifest } from './manifest.ts';

const commands = { npm: 'npm install', pnpm: 'pnpm add', yarn: 'yarn add', bun: 'bun add' } as const;

export type PackageManager = keyof typeof commands;

const lockFiles = {
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
  'package-lock.json': 'npm',
  'npm-shrinkwrap.json': 'npm',
} as const satisfies Record<string, PackageManager>;

/** The lock files of package managers. */
export const lockFileNames: readonly string[] = Object.keys(lockFiles);

/** Returns the command that installs packages with the project's package manager. */
export function installCommand(packageNames: string | readonly string[], directory: string): string {
  return [commands[packageManagerOf(directory)], packageNames].flat().join(' ');
}

/** Returns the command that installs the dependencies listed in the project's manifest. */
export function installListedCommand(directory: string): string {
  return `${packageManagerOf(directory)} install`;
}

/**
 * Returns the package manager of a project: that of the nearest manifest with `packageManager`, or of the nearest lock
 * file above. Default: npm.
 */
export function packageManagerOf(directory: string): PackageManager {
  for (let current = directory; ; current = dirname(current)) {
    const manifest = join(current, 'package.json');
    const named = existsSync(manifest)
      ? parseManifest(readFileSync(manifest, 'utf8'))?.packageManager
      : undefined;
    const name = typeof named === 'string' ? named.split('@', 1)[0] : undefined;
    if (name !== undefined && isPackageManager(name)) return name;
    for (const [file, manager] of Object.entries(lockFiles)) {
      if (existsSync(join(current, file))) return manager;
    }
    if (dirname(current) === current) return 'npm';
  }
}

/** Returns true for the name of a package manager that the command knows. */
export function isPackageManager(name: string): name is PackageManager {
  return Object.hasOwn(commands, name);
}
