import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import manifest from '../package.json' with { type: 'json' };
import { nearestInstalled, ownDirectory, type Installed } from './project-command.ts';
import { exitStatus } from './terminal/exit-status.ts';
import type { Printout } from './terminal/print.ts';

/** The version of `@shallot/core/command` that this command requires. */
const neededApi = 1;

/**
 * Checks that the core is compatible with the command and the project. Must be called before other imports from the
 * core, which may be missing. Returns the output of a refusal, or undefined.
 */
export async function refuseCore(directory: string): Promise<Printout | undefined> {
  const fault = await faultOf(directory);
  return fault === undefined
    ? undefined
    : { status: exitStatus.usage, stdout: '', stderr: `error ${fault}\n` };
}

async function faultOf(directory: string): Promise<string | undefined> {
  const own = nearestInstalled('@shallot/core', ownDirectory());
  if (own === undefined) {
    return `shallot ${manifest.version} (${ownDirectory()}) finds no @shallot/core beside it. Run: ${installLine('@shallot/core', directory)}`;
  }
  const command = await exportsOf('command', ownDirectory());
  const api = command['commandApi'];
  if (api !== neededApi) {
    const isOlder = typeof api !== 'number' || api < neededApi;
    const has = typeof api === 'number' ? String(api) : 'none';
    return (
      `shallot ${manifest.version} (${ownDirectory()}) needs version ${neededApi} of the core's command API, but ` +
      `${described(own)} has ${has}. Run: ${installLine(isOlder ? '@shallot/core' : 'shallot', directory)}`
    );
  }
  return unlikeProject(own, directory);
}

/** Returns the fault of a core other than the project's, which could reject compatible plugins. */
async function unlikeProject(own: Installed, directory: string): Promise<string | undefined> {
  const project = nearestInstalled('@shallot/core', directory);
  if (project === undefined || project.directory === own.directory) return undefined;
  const { isInRange } = await import('@shallot/core/command');
  const [{ pluginApi: ours }, { pluginApi: theirs }] = await Promise.all([
    exportsOf('plugin', ownDirectory()),
    exportsOf('plugin', directory),
  ]);
  if (typeof theirs !== 'string' || isInRange(String(ours), `^${theirs}`)) return undefined;
  return (
    `shallot ${manifest.version} (${ownDirectory()}) has a core of its own, ${described(own)}, with version ${String(ours)} of the ` +
    `plugin API. The project has ${described(project)}, with ${theirs}. Run: ${installLine('shallot', directory)}`
  );
}

function described({ directory, manifest: { version } }: Installed): string {
  return `@shallot/core ${String(version)} (${directory})`;
}

/** Imports an entry of the core as a module in a directory would; an empty object if this core does not have it. */
async function exportsOf(entry: string, directory: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const file = createRequire(join(directory, 'index.js')).resolve(`@shallot/core/${entry}`);
    return (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return {};
    throw error;
  }
}

/** Returns the command that installs the newest version of a package, by the nearest lock file. */
function installLine(name: string, directory: string): string {
  const adders = { 'pnpm-lock.yaml': 'pnpm add', 'yarn.lock': 'yarn add', 'bun.lock': 'bun add' };
  for (let current = directory; dirname(current) !== current; current = dirname(current)) {
    const found = Object.entries(adders).find(([file]) => existsSync(join(current, file)));
    if (found !== undefined) return `${found[1]} ${name}@latest`;
    if (existsSync(join(current, 'package-lock.json'))) break;
  }
  return `npm install ${name}@latest`;
}
