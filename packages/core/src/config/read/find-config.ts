import { readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, extname, join, resolve } from 'node:path';

import { ShallotError } from '../../base/errors.ts';
import { manifestConfig } from '../../base/json/manifest-config.ts';
import { reasonOf } from '../../base/thrown.ts';
import { configFormats } from './config-formats.ts';
import { refuseForeign } from './refuse-foreign.ts';

const endings = Object.keys(configFormats);
const namedEndings = new Set(endings.filter((ending) => ending !== ''));
const fileNames = [
  ...[...namedEndings].map((ending) => `shallot.config${ending}`),
  ...endings.map((ending) => `.shallotrc${ending}`),
];

/**
 * Returns the config file of a directory, or of the nearest directory above it, up to and including the user's home or,
 * outside of it, the last one on the same file system. Parses and runs nothing. @throws `CONFIG_AMBIGUOUS` if a directory has
 * several, `CONFIG_FOREIGN` if another user owns it, `CONFIG_NOT_FOUND`
 */
export async function findConfig(directory: string): Promise<string> {
  const start = resolve(directory);
  const passed = directoriesUpwards(start);
  const found = nearestByName([start]) ?? (await searchAbove(start, passed));
  // cosmiconfig continues to the user's global config directory, but an agent belongs to a project.
  const file = found !== undefined && passed.includes(dirname(found)) ? found : undefined;
  for (const place of passed.slice(0, file === undefined ? undefined : passed.indexOf(dirname(file)) + 1)) {
    refuseUnreadable(place);
  }
  if (file === undefined) throw notFound(start);
  refuseForeign(file, start);
  refuseSeveral(dirname(file));
  return file;
}

/** Searches above a directory; loaded only if the directory has no config itself. */
async function searchAbove(directory: string, passed: readonly string[]): Promise<string | undefined> {
  const { searchUpwards } = await import('./search-upwards.ts');
  return searchUpwards(directory, {
    stopDir: passed.at(-1) ?? directory,
    fileNames,
    byName: () => nearestByName(passed),
  });
}

/** Returns the config of the first of these directories that has one. */
function nearestByName(directories: readonly string[]): string | undefined {
  for (const directory of directories) {
    const name = configsIn(directory).find((each) => !isDirectory(join(directory, each)));
    if (name !== undefined) return join(directory, name);
    const manifest = join(directory, 'package.json');
    if (manifestConfig(readIfThere(manifest)) !== undefined) return manifest;
  }
  return undefined;
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Unreadable paths are reported by `refuseUnreadable`.
    return false;
  }
}

/** Returns a directory and those above it, up to the home directory or, outside of it, as far as they share a file system. */
function directoriesUpwards(start: string): string[] {
  const directories = [start];
  for (let current = start; dirname(current) !== current; current = dirname(current)) {
    directories.push(dirname(current));
  }
  const home = directories.indexOf(homedir());
  if (home !== -1) return directories.slice(0, home + 1);
  const device = deviceOf(start);
  const other = directories.findIndex((directory) => deviceOf(directory) !== device);
  return other === -1 ? directories : directories.slice(0, other);
}

/** Returns the number of the device that holds a directory; undefined for a missing directory. */
function deviceOf(directory: string): number | undefined {
  return statSync(directory, { throwIfNoEntry: false })?.dev;
}

/** Rejects a config file that exists but cannot be read; cosmiconfig skips such files. */
function refuseUnreadable(directory: string): void {
  for (const name of configsIn(directory)) {
    const file = join(directory, name);
    try {
      if (statSync(file).isDirectory()) continue;
      readFileSync(file);
    } catch (error) {
      const message = `${name} exists but cannot be read: ${reasonOf(error)}. Make it readable, or remove it.`;
      throw new ShallotError('CONFIG_NOT_FOUND', { message, at: { file }, cause: error });
    }
  }
}

function refuseSeveral(directory: string): void {
  const names = configsIn(directory).filter((name) => !statSync(join(directory, name)).isDirectory());
  const manifest = join(directory, 'package.json');
  if (manifestConfig(readIfThere(manifest)) !== undefined) names.push('package.json (its "shallot")');
  if (names.length < 2) return;
  throw new ShallotError('CONFIG_AMBIGUOUS', {
    message: `${directory} has more than one config: ${names.join(', ')}. Keep one, or name the file to use.`,
    at: { file: join(directory, names[0] ?? '') },
  });
}

function configsIn(directory: string): string[] {
  const names = new Set(listIfThere(directory));
  return fileNames.filter((name) => names.has(name));
}

function notFound(start: string): ShallotError {
  const names = listIfThere(start);
  const otherEnding = names.find((name) => /^(?:shallot\.config\.|\.shallotrc)/.test(name));
  const misnamed = names.find((name) => /^\.?shallot/i.test(name) && namedEndings.has(extname(name)));
  const nearly = otherEnding ?? misnamed;
  const hint =
    otherEnding !== undefined
      ? ` (${otherEnding} exists, but "${extname(otherEnding)}" is not a supported extension)`
      : misnamed !== undefined
        ? ` (${misnamed} exists: rename it to shallot.config${extname(misnamed)})`
        : '';
  return new ShallotError('CONFIG_NOT_FOUND', {
    message: `No config file was found in ${start} or above it${hint}. Write a shallot.config.yaml, or name the file to use.`,
    at: nearly === undefined ? undefined : { file: join(start, nearly) },
  });
}

function listIfThere(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // A directory that cannot be listed counts as one without a config.
    return [];
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // An unreadable manifest counts as one without a config.
    return '';
  }
}
