import { ShallotError } from '../base/errors.ts';
import { notAFile } from './file-errors.ts';
import type { FileEntry, Files, LinkOptions, ListOptions, ReadBytesOptions, SmallFiles } from './files.ts';
import { badPath, byPath, joinPath, splitPath, splitRemoved, splitWithin, toEntry } from './path.ts';

interface Mount {
  /** The path segments of its mount point. */
  readonly at: readonly string[];
  readonly files: Files;
}

/**
 * Combines several `Files` into one. The longest prefix that matches a path selects its mount, which gets the path
 * without the prefix. Prefixes begin and end with `/`. A path that matches no prefix is refused.
 * @throws `OPTION_INVALID` for a malformed prefix
 */
export function mountFiles(mounts: Readonly<Record<string, Files>>): Files {
  const table = Object.entries(mounts)
    .map(([prefix, files]): Mount => ({ at: splitPrefix(prefix), files }))
    .toSorted((a, b) => b.at.length - a.at.length);

  function mountOf(names: readonly string[]): Mount | undefined {
    return table.find(({ at }) => isWithin(names, at));
  }

  /** Returns the mount of a path, and the path within it. */
  function locate(path: string): { readonly files: Files; readonly inside: string } {
    const names = splitPath(path);
    if (table.some(({ at }) => isWithin(at, names))) throw notAFile(path, 'a directory');
    const mount = mountOf(names);
    if (mount === undefined) throw badPath(path, `is under none of ${Object.keys(mounts).join(', ')}`);
    return { files: mount.files, inside: joinPath(names.slice(mount.at.length)) };
  }

  /** Returns the mount of a path for reading. If `within` contains the whole mount, the mount itself confines the links. */
  function locateWithin(
    path: string,
    { within, ...others }: ReadBytesOptions = {},
  ): { readonly files: Files; readonly inside: string; readonly options: ReadBytesOptions } {
    const { outer } = within === undefined ? { outer: [] } : splitWithin(path, within);
    const at = mountOf(splitPath(path))?.at ?? [];
    const inner = outer.length > at.length ? { within: joinPath(outer.slice(at.length)) } : {};
    return { ...locate(path), options: { ...others, ...inner } };
  }

  /** Lists a mount's entries at or under `names`, without those that other mounts hide. */
  async function listMount(
    mount: Mount,
    names: readonly string[],
    options: ListOptions,
  ): Promise<FileEntry[]> {
    const inside = await mount.files.list(joinPath(names.slice(mount.at.length)), options);
    return inside
      .map((entry) => ({ entry, names: [...mount.at, ...splitPath(entry.path)] }))
      .filter(({ names: all }) => mountOf(all) === mount)
      .map(({ entry, names: all }) => toEntry(all, entry.kind, entry.link === true));
  }

  return {
    root: mountOf([])?.files.root,

    async list(path, options = {}) {
      const { recursive = false } = options;
      const names = splitPath(path, 'directory');
      const own = mountOf(names);
      const inner = table.filter((mount) => mount !== own && isWithin(mount.at, names));
      const listed = [
        ...(own === undefined ? [] : await listMount(own, names, options)),
        ...inner.flatMap(({ at }) => directoriesTo(at, names.length, recursive)),
      ];
      if (recursive) for (const mount of inner) listed.push(...(await listMount(mount, mount.at, options)));
      const byName = new Map(listed.map((entry) => [entry.path, entry]));
      return [...byName.values()].toSorted(byPath);
    },

    async stat(path, given) {
      const { files, inside, options } = locateWithin(path, given);
      return files.stat(inside, options);
    },

    async read(path, given) {
      const { files, inside, options } = locateWithin(path, given);
      return files.read(inside, options);
    },

    async readText(path, given) {
      const { files, inside, options } = locateWithin(path, given);
      return files.readText(inside, options);
    },

    smallFiles: async (path, options) => smallFilesIn(mountOf(splitPath(path, 'directory')), path, options),

    realPath: async (path) => realPathIn(mountOf(splitPath(path, 'directory')), path),

    ...unlockedIn(table, mountOf),

    protect: (glob, kind) => protectIn(mountOf(splitPath(glob, 'directory')), glob, kind),

    async write(path, data, options) {
      const { files, inside } = locate(path);
      return files.write(inside, data, options);
    },

    async append(path, data, options) {
      const { files, inside } = locate(path);
      return files.append(inside, data, options);
    },

    async remove(path, options) {
      const { files, inside } = locate(joinPath(splitRemoved(path, options?.recursive === true)));
      return files.remove(inside, options);
    },
  };
}

/** Returns `isUnlocked` for all mounts; an empty object if no mount has it. */
function unlockedIn(
  table: readonly Mount[],
  mountOf: (names: readonly string[]) => Mount | undefined,
): Pick<Files, 'isUnlocked'> {
  if (table.every(({ files }) => files.isUnlocked === undefined)) return {};
  return {
    isUnlocked(path, access) {
      const names = splitPath(path, 'directory');
      const mount = mountOf(names);
      return mount?.files.isUnlocked?.(joinPath(names.slice(mount.at.length)), access) ?? false;
    },
  };
}

function protectIn(mount: Mount | undefined, glob: string, kind: 'source' | 'state'): void {
  mount?.files.protect?.(joinPath(splitPath(glob, 'directory').slice(mount.at.length)), kind);
}

async function realPathIn(mount: Mount | undefined, path: string): Promise<string> {
  const names = splitPath(path, 'directory');
  if (mount?.files.realPath === undefined) return joinPath(names);
  const inside = await mount.files.realPath(joinPath(names.slice(mount.at.length)));
  return joinPath([...mount.at, ...splitPath(inside, 'directory')]);
}

async function smallFilesIn(
  mount: Mount | undefined,
  path: string,
  options?: LinkOptions,
): Promise<SmallFiles | undefined> {
  const names = splitPath(path, 'directory');
  return mount?.files.smallFiles?.(joinPath(names.slice(mount.at.length)), options);
}

function splitPrefix(prefix: string): string[] {
  if (prefix.startsWith('/') && prefix.endsWith('/')) return splitPath(prefix, 'directory');
  throw new ShallotError('OPTION_INVALID', {
    message: `mountFiles got the prefix ${JSON.stringify(prefix)}. A prefix starts and ends with "/": "/memories/".`,
  });
}

/** Returns true if `names` are those of the directory or of an entry in it. */
function isWithin(names: readonly string[], directory: readonly string[]): boolean {
  return directory.every((name, index) => names[index] === name);
}

/** Returns the directories that a listing shows for a mount below it: those that lead to the mount, and the mount itself. */
function directoriesTo(at: readonly string[], depth: number, recursive: boolean): FileEntry[] {
  return at
    .slice(depth, recursive ? undefined : depth + 1)
    .map((_, index) => ({ path: joinPath(at.slice(0, depth + index + 1)), kind: 'directory' }));
}
