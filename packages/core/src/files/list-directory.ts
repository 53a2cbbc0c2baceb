import { lstatSync, type Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';

import { isShallotError } from '../errors.ts';
import { notADirectory, systemCode } from './file-errors.ts';
import type { FileEntry } from './files.ts';
import type { OpenDirectory } from './open-directory.ts';
import { byPath, isReservedName, joinPath, splitPath } from './path.ts';
import { openDirectory, openPlace, type Place } from './walk.ts';

/**
 * The files and directories in a directory under `root`. Links appear as what they lead to, those that lead nowhere or
 * out of the root not at all; the recursion does not go through links, so it ends and finds each file once.
 */
export async function listDirectory(
  root: string,
  path: string,
  recursive: boolean,
): Promise<readonly FileEntry[]> {
  const names = splitPath(path, 'directory');
  const directory = openDirectory(root, names, { path, create: false });
  if (directory === undefined) {
    if (names.length > 0 && kindAt(root, names) === 'file') throw notADirectory(path);
    return [];
  }
  const found: FileEntry[] = [];
  await collect(root, directory, names, recursive, found);
  return found.toSorted(byPath);
}

/** Adds what is in a directory, and closes it. */
async function collect(
  root: string,
  directory: OpenDirectory,
  names: readonly string[],
  recursive: boolean,
  found: FileEntry[],
): Promise<void> {
  try {
    for (const entry of await readdir(directory.entry('.'), { withFileTypes: true })) {
      const entryNames = [...names, entry.name];
      const kind = isReservedName(entry.name) ? undefined : kindOf(root, entryNames, entry);
      if (kind === undefined) continue;
      found.push({ path: joinPath(entryNames), kind });
      if (!recursive || !entry.isDirectory()) continue;
      const inner = openIfThere(directory, entry.name);
      if (inner !== undefined) await collect(root, inner, entryNames, recursive, found);
    }
  } finally {
    directory.close();
  }
}

function kindOf(root: string, names: readonly string[], entry: Dirent): FileEntry['kind'] | undefined {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? kindAt(root, names) : undefined;
}

/** What a path leads to through links; undefined when that is nothing, is outside, or is neither file nor directory. */
function kindAt(root: string, names: readonly string[]): FileEntry['kind'] | undefined {
  let place: Place | undefined;
  try {
    place = openPlace(root, names, { path: joinPath(names), create: false, follow: true });
    if (place === undefined) return undefined;
    const stats = lstatSync(place.directory.entry(place.name), { throwIfNoEntry: false });
    if (stats?.isFile()) return 'file';
    return stats?.isDirectory() ? 'directory' : undefined;
  } catch (error) {
    if (isShallotError(error, 'FILE_PATH')) return undefined;
    throw error;
  } finally {
    place?.directory.close();
  }
}

/** Undefined when the directory was removed, or became something else, since its parent was read. */
function openIfThere(directory: OpenDirectory, name: string): OpenDirectory | undefined {
  try {
    return directory.open(name);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
    throw error;
  }
}
