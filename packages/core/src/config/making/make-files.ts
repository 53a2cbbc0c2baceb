import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';

import { ShallotError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import type { DiskFilesOptions, Files } from '../../files/files.ts';
import { diskFiles, memoryFiles, mountFiles } from '../../files/index.ts';
import { sessionDirectories } from '../../files/session-place.ts';
import type { Config } from '../check/config.ts';
import type { LoadedConfig } from '../load-config.ts';
import { inStartTime } from '../modules/in-start-time.ts';
import type { Mention } from '../modules/locate.ts';
import { isFiles } from '../packages/is-store.ts';
import { resolveMaker } from '../resolve-maker.ts';

/**
 * Returns a warning if the directory for files does not exist: it is created with the first file, but may be misspelt.
 * @throws `CONFIG_INVALID` if it is not a directory
 */
export function doubtsAboutFiles(files: Mention<NonNullable<Config['files']>> | undefined): ShallotError[] {
  if (files === undefined || typeof files.value !== 'string' || files.value === 'memory') return [];
  const root = resolve(files.directory, files.value);
  const found = statSync(root, { throwIfNoEntry: false });
  // The first run creates it: the agent keeps its own files there.
  if (found === undefined && isInside(join(files.directory, '.shallot'), root)) return [];
  if (found?.isDirectory() === true) return [];
  if (found !== undefined) {
    const message = `files is "${files.value}", which is not a directory. Write the path of a directory.`;
    throw new ShallotError('CONFIG_INVALID', { message, at: files.locate() });
  }
  const like = nearest(basename(root), namesIn(dirname(root)));
  const advice =
    like === undefined
      ? 'If you meant another directory, fix the path.'
      : `Did you mean ${join(dirname(root), like)}?`;
  const message = `files is "${files.value}", which does not exist; it is created when the first file is written. ${advice}`;
  return [new ShallotError('FILE_NOT_FOUND', { message, at: files.locate() })];
}

/** Returns a warning that names the protected files that a config unlocks. */
export function unlockedFiles(unlock: Mention<NonNullable<Config['unlock']>> | undefined): ShallotError[] {
  if (unlock === undefined || unlock.value.length === 0) return [];
  const message = `unlock opens protected files to plugins and tools: ${unlock.value.join(', ')}.`;
  return [new ShallotError('FILE_UNLOCKED', { message, at: unlock.locate() })];
}

function isInside(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory + sep);
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // A directory that cannot be listed yields no suggestions.
    return [];
  }
}

type FilesConfig = Pick<LoadedConfig, 'merged' | 'directory' | 'startTimeoutMs'>;

/**
 * Resolves the files service of a config, and returns a function that creates it. Files that plugins write for
 * themselves are stored under `.shallot/` in the config's directory. @throws `MODULE_NOT_FOUND`; `CONFIG_INVALID` if
 * `unlock` does not apply
 */
export function filesMaker({ merged, directory, startTimeoutMs }: FilesConfig): () => Promise<Files> {
  const { files, unlock } = merged;
  const open = unlockedBy(merged);
  if (files === undefined) return async () => diskFilesOf(directory, directory, open);
  if (unlock !== undefined && (typeof files.value !== 'string' || files.value === 'memory')) {
    const message =
      'unlock opens files of a directory, and `files` names none. Remove it, or give `unlock` to diskFiles in your module.';
    throw new ShallotError('CONFIG_INVALID', { message, at: unlock.locate([], 'key') });
  }
  const { value, locate } = files;
  if (isFiles(value)) return async () => value;
  if (value === 'memory') return async () => memoryFiles();
  if (typeof value === 'string') {
    const root = resolve(files.directory, value);
    return async () => diskFilesOf(root, directory, open);
  }
  const place = { directory: files.directory, at: locate() };
  const make = resolveMaker(value, place, { what: 'files', is: isFiles });
  return () => inStartTime(make(), { what: 'The files service', at: place.at, startTimeoutMs });
}

/**
 * Opens the files of a directory like those of the config: protected files stay protected, and plugins keep their own
 * files beside the config. `through` returns the files to use in place of those on disk.
 */
export type FilesInDirectory = (root: string, through?: (disk: Files) => Files) => Files;

/**
 * Returns a function that opens files for each directory, like the config's files. Undefined if the config's files are
 * not a directory; all runs share them then.
 */
export function filesInDirectories({ merged, directory }: FilesConfig): FilesInDirectory | undefined {
  const value = merged.files?.value;
  if (value !== undefined && (typeof value !== 'string' || value === 'memory')) return undefined;
  const made = new Map<string, Files>();
  return (root, through) => {
    if (through !== undefined) return diskFilesOf(root, directory, unlockedBy(merged), through);
    const files = made.get(root) ?? diskFilesOf(root, directory, unlockedBy(merged));
    made.set(root, files);
    return files;
  };
}

function unlockedBy({ unlock }: FilesConfig['merged']): DiskFilesOptions {
  return { unlock: unlock?.value ?? [] };
}

function diskFilesOf(
  root: string,
  directory: string,
  options: DiskFilesOptions,
  through: (disk: Files) => Files = (disk) => disk,
): Files {
  const own = sessionDirectories.map(
    (name) => [`${name}/`, diskFiles(join(directory, '.shallot', name))] as const,
  );
  return mountFiles({ '/': through(diskFiles(root, options)), ...Object.fromEntries(own) });
}
