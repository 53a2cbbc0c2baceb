import { readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, extname, join, resolve } from 'node:path';

import type { Loader } from 'cosmiconfig';

import { messageOf, ShallotError } from '../errors.ts';
import { manifestConfig } from './manifest.ts';

/** The endings that a config file may have, and the formats that they stand for. */
export const configFormats = {
  '.yaml': 'yaml',
  '.yml': 'yaml',
  '': 'yaml',
  '.json': 'json',
  '.ts': 'module',
  '.mts': 'module',
  '.js': 'module',
  '.mjs': 'module',
} as const;

const endings = Object.keys(configFormats);
const fileNames = [
  ...endings.filter((ending) => ending !== '').map((ending) => `shallot.config${ending}`),
  ...endings.map((ending) => `.shallotrc${ending}`),
];

/**
 * The config file of a directory, or else of the nearest directory above it, up to the user's home (the home included)
 * or the root. Only looks for it: nothing of it is run or parsed.
 * @throws `CONFIG_AMBIGUOUS` when a directory has several, `CONFIG_NOT_FOUND`
 */
export async function findConfig(directory: string): Promise<string> {
  const { cosmiconfig } = await import('cosmiconfig');
  const explorer = cosmiconfig('shallot', {
    searchPlaces: [...fileNames, 'package.json'],
    // Loading is done by others: cosmiconfig takes an ENOENT that a config throws for a missing file, runs a config
    // that throws a second time, and keeps what it has loaded.
    loaders: Object.fromEntries(
      [...endings, '.cjs'].map((ending) => [ending === '' ? 'noExt' : ending, onlyLocate]),
    ),
    stopDir: homedir(),
    cache: false,
    // An empty file is a config as well: to go on to the next directory would be a surprise.
    ignoreEmptySearchPlaces: false,
  });
  const start = resolve(directory);
  const found = await explorer.search(start);
  const passed = directoriesUpwards(start);
  // Above the home, cosmiconfig goes on to a directory for settings of all projects: an agent belongs to one.
  const file = found !== null && passed.includes(dirname(found.filepath)) ? found.filepath : undefined;
  for (const place of passed.slice(0, file === undefined ? undefined : passed.indexOf(dirname(file)))) {
    refuseUnreadable(place);
  }
  if (file === undefined) throw notFound(start);
  refuseSeveral(dirname(file));
  return file;
}

const onlyLocate: Loader = (file, content) => {
  if (basename(file) !== 'package.json') return {};
  return manifestConfig(content) === undefined ? {} : { shallot: {} };
};

function directoriesUpwards(start: string): string[] {
  const directories = [start];
  for (let current = start; current !== homedir() && dirname(current) !== current;) {
    current = dirname(current);
    directories.push(current);
  }
  return directories;
}

/** A file that cosmiconfig passed over although it is there: no permission, or a link to nowhere. */
function refuseUnreadable(directory: string): void {
  for (const name of configsIn(directory)) {
    const file = join(directory, name);
    try {
      if (statSync(file).isDirectory()) continue;
      readFileSync(file);
    } catch (error) {
      const message = `${name} is there, but cannot be read: ${messageOf(error)}. Make it readable, or remove it.`;
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
    message: `${directory} has more than one config: ${names.join(', ')}. Keep one, or name the one to use.`,
    at: { file: join(directory, names[0] ?? '') },
  });
}

function configsIn(directory: string): string[] {
  const names = new Set(listIfThere(directory));
  return fileNames.filter((name) => names.has(name));
}

function notFound(start: string): ShallotError {
  const other = listIfThere(start).find((name) => /^(?:shallot\.config\.|\.shallotrc)/.test(name));
  const hint =
    other === undefined ? '' : ` (${other} is there, but "${extname(other)}" is not an ending that is read)`;
  return new ShallotError('CONFIG_NOT_FOUND', {
    message: `No config file was found in ${start} or above it${hint}. Write a shallot.config.yaml, or name the file to use.`,
  });
}

function listIfThere(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // What cannot be listed has no config for us, like a directory that is not there.
    return [];
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Like a manifest that does not mention us.
    return '';
  }
}
