import { lstatSync, type Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';

import { isShallotError } from '../base/errors.ts';
import { systemCode } from '../base/thrown.ts';
import { notADirectory } from './file-errors.ts';
import type { FileEntry, ListOptions } from './files.ts';
import type { OpenDirectory } from './open-directory.ts';
import { openDirectory, openPlace, type Place } from './open-place.ts';
import { byPath, isReservedName, joinPath, splitPath, toEntry } from './path.ts';
import type { Protection } from './protection/protection.ts';

/**
 * Returns the files and directories in a directory under `root`. A link is listed as what it leads to; a link that leads
 * nowhere or out of the root is listed only with `all`. The recursion follows no links, so it ends and finds each file
 * once.
 */
export async function listDirectory(
  root: string,
  path: string,
  { recursive = false, all = false, noLinks }: ListOptions,
  protection?: Protection,
): Promise<readonly FileEntry[]> {
  const names = splitPath(path, 'directory');
  const guard = protection?.guard('read', path);
  const directory = openDirectory(root, names, { path, create: false, noLinks, guard });
  if (directory === undefined) {
    if (names.length > 0 && kindAt(root, names) === 'file') throw notADirectory(path);
    return [];
  }
  const found: FileEntry[] = [];
  await collect({ root, recursive, all, found, protection }, directory, names);
  return found.toSorted(byPath);
}

const linksAtOnce = 100;

interface Listing extends Required<Omit<ListOptions, 'noLinks'>> {
  readonly root: string;
  readonly found: FileEntry[];
  readonly protection: Protection | undefined;
}

/** Adds the entries of a directory, and closes it. */
async function collect(listing: Listing, directory: OpenDirectory, names: readonly string[]): Promise<void> {
  const { recursive, all, found, protection } = listing;
  let links = 0;
  try {
    for (const entry of await readdir(directory.entry('.'), { withFileTypes: true })) {
      if (isReservedName(entry.name)) continue;
      const place = { root: directory.root, names: [...directory.names, entry.name] };
      if (protection?.isShown(place) === false) continue;
      const entryNames = [...names, entry.name];
      // Yields regularly: links are resolved synchronously, and thousands would block the event loop.
      if (entry.isSymbolicLink() && (links += 1) % linksAtOnce === 0) await setImmediate();
      const kind = kindOf(listing, entryNames, entry);
      if (kind === 'protected') continue;
      if (kind !== undefined || all) found.push(toEntry(entryNames, kind ?? 'other', entry.isSymbolicLink()));
      if (!recursive || !entry.isDirectory()) continue;
      const inner = openIfThere(directory, entry.name);
      if (inner !== undefined) await collect(listing, inner, entryNames);
    }
  } finally {
    directory.close();
  }
}

type Kind = FileEntry['kind'] | 'protected' | undefined;

function kindOf({ root, protection }: Listing, names: readonly string[], entry: Dirent): Kind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? kindAt(root, names, protection) : undefined;
}

/**
 * Returns the kind of a link's target: `protected` if it may not be read; undefined if it does not exist, is outside the
 * root, or is neither a file nor a directory.
 */
function kindAt(root: string, names: readonly string[], protection?: Protection): Kind {
  let place: Place | undefined;
  try {
    const path = joinPath(names);
    const guard = protection?.guard('read', path);
    place = openPlace(root, names, { path, create: false, follow: true, guard });
    if (place === undefined) return undefined;
    const stats = lstatSync(place.directory.entry(place.name), { throwIfNoEntry: false });
    if (stats?.isFile()) return 'file';
    return stats?.isDirectory() ? 'directory' : undefined;
  } catch (error) {
    if (isShallotError(error, 'FILE_PROTECTED')) return 'protected';
    if (isShallotError(error, 'FILE_PATH')) return undefined;
    throw error;
  } finally {
    place?.directory.close();
  }
}

/** Opens a directory. Returns undefined if it was removed or replaced since its parent was read. */
function openIfThere(directory: OpenDirectory, name: string): OpenDirectory | undefined {
  try {
    return directory.open(name);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
    throw error;
  }
}
