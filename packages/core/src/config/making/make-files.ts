import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

import { ShallotError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import type { Files } from '../../files/files.ts';
import { diskFiles, memoryFiles, mountFiles } from '../../files/index.ts';
import type { Config } from '../check/config.ts';
import { inStartTime } from '../modules/in-start-time.ts';
import type { Mention } from '../modules/locate.ts';
import { isFiles } from '../packages/is-store.ts';
import { resolveMaker } from '../resolve-maker.ts';

/**
 * What is doubtful about the directory that a config names for files: one that is not there is made with the first file,
 * and may be a misspelling.
 * @throws `CONFIG_INVALID` for what is no directory
 */
export function doubtsAboutFiles(files: Mention<NonNullable<Config['files']>> | undefined): ShallotError[] {
  if (files === undefined || typeof files.value !== 'string' || files.value === 'memory') return [];
  const root = resolve(files.directory, files.value);
  const found = statSync(root, { throwIfNoEntry: false });
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

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // What cannot be listed has nothing to propose.
    return [];
  }
}

/**
 * Finds what a config says of its files, and gives the function that makes them. What plugins write for themselves is kept
 * apart from a directory, under `.shallot/` of the config's own. @throws `MODULE_NOT_FOUND`
 */
export function filesMaker(
  files: Mention<NonNullable<Config['files']>> | undefined,
  directory: string,
  startTimeoutMs: number,
): () => Promise<Files> {
  if (files === undefined) return async () => diskFilesOf(directory, directory);
  const { value, locate } = files;
  if (isFiles(value)) return async () => value;
  if (value === 'memory') return async () => memoryFiles();
  if (typeof value === 'string') {
    const root = resolve(files.directory, value);
    return async () => diskFilesOf(root, directory);
  }
  const place = { directory: files.directory, at: locate() };
  const make = resolveMaker(value, place, { what: 'files', is: isFiles });
  return () => inStartTime(make(), { what: 'The files service', at: place.at, startTimeoutMs });
}

function diskFilesOf(root: string, directory: string): Files {
  return mountFiles({
    '/': diskFiles(root),
    '/conversation_history/': diskFiles(join(directory, '.shallot', 'conversation_history')),
  });
}
