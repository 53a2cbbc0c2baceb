import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import {
  findConfig,
  isPackageManager,
  lockFileNames,
  packageManagerOf,
  parseManifest,
} from '@shallot/core/command';

import type { AgentCommandOptions } from '../asking/config-loading.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import type { Screen } from '../terminal/screen.ts';
import { managerCommands, type ManagerCommands } from './manager-commands.ts';
import { refuseManifest } from './manifest-error.ts';

/** A project whose packages and config a command changes. */
export interface Project {
  /** The absolute path of the config file. */
  readonly config: string;
  /** The directory of the config, from which names in it are resolved. */
  readonly directory: string;
  /** The directory of the nearest package.json, where packages are installed; without one, that of the config. */
  readonly home: string;
  readonly manager: ManagerCommands;
  /** The config, and all files that an install may change. */
  readonly files: readonly string[];
}

/**
 * Finds the project of a config. Rejects with a usage failure if there is no config or no package.json, or if that names an
 * unknown package manager. @throws `PACKAGE_SYNTAX`
 */
export async function findProject(options: AgentCommandOptions, screen: Screen): Promise<Project> {
  const { cwd } = screen.io;
  const found = options.config === undefined ? findConfig(cwd) : resolve(cwd, options.config);
  const config = await Promise.resolve(found).catch((cause: unknown) => {
    throw new CommandFailure(exitStatus.usage, { cause });
  });
  const project = projectAround(config);
  if (existsSync(join(project.home, 'package.json'))) {
    refuseManifest(project);
    refuseUnknownManager(project.home);
    return project;
  }
  throw new CommandFailure(
    exitStatus.usage,
    `There is no package.json in ${project.directory} or above it, so nothing can be installed. Run: npm init --yes`,
  );
}

/** Refuses an unknown package manager, because another one would be used in its place and write another lock file. */
function refuseUnknownManager(home: string): void {
  const file = join(home, 'package.json');
  const manifest = parseManifest(readFileSync(file, 'utf8'));
  const named = manifest?.packageManager;
  if (named === undefined) return;
  if (typeof named === 'string' && isPackageManager(named.replace(/@.*/s, ''))) return;
  throw new CommandFailure(
    exitStatus.usage,
    `"packageManager" in ${file} is ${JSON.stringify(named)}; write npm, pnpm, yarn or bun with a version, or remove it.`,
  );
}

/** Returns the project of an existing or future config. Without a package.json, the directory gets one. */
export function projectAround(config: string): Project {
  const directory = dirname(config);
  const home =
    directoriesUpwards(directory).find((each) => existsSync(join(each, 'package.json'))) ?? directory;
  const lockHome = directoriesUpwards(home).find((each) => lockFilesIn(each).length > 0) ?? home;
  const isBerry =
    existsSync(join(lockHome, '.yarnrc.yml')) ||
    (existsSync(join(lockHome, 'yarn.lock')) && isBerryLock(join(lockHome, 'yarn.lock')));
  const manager = managerCommands(packageManagerOf(home), {
    isBerry,
    isWorkspaceRoot:
      existsSync(join(home, 'pnpm-workspace.yaml')) || hasWorkspaces(join(home, 'package.json')),
  });
  const files = new Set([
    config,
    join(home, 'package.json'),
    ...lockFileNames.flatMap((name) => [join(home, name), join(lockHome, name)]),
    join(lockHome, 'pnpm-workspace.yaml'),
  ]);
  return { config, directory, home, manager, files: [...files] };
}

function lockFilesIn(directory: string): string[] {
  return lockFileNames.filter((name) => existsSync(join(directory, name)));
}

function isBerryLock(file: string): boolean {
  return readFileSync(file, 'utf8').includes('__metadata:');
}

function hasWorkspaces(manifest: string): boolean {
  return existsSync(manifest) && /"workspaces"\s*:/.test(readFileSync(manifest, 'utf8'));
}

function directoriesUpwards(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...directoriesUpwards(parent)];
}
