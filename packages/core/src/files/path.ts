import { ShallotError } from '../base/errors.ts';
import type { FileEntry } from './files.ts';

/** Limits of common file systems; the longest path is Linux's `PATH_MAX`. */
const maxNameBytes = 255;
const maxPathBytes = 4096;

/** Names that `diskFiles` uses for its locks and incomplete files. */
const reservedName = /^\.shallot-[0-9a-f]{16}\.(?:tmp|lock|lock\.steal)$/i;

/**
 * Returns the names of an absolute path; none for the root. `//` and `.` are ignored, and a `/` at the end is allowed
 * for directories only. Nothing is decoded: `%2e%2e` is a name like any other. @throws `FILE_PATH` for an invalid path,
 * for example one that is relative or too long, or has `..` or a reserved name in it
 */
export function splitPath(
  path: string,
  kind: 'file' | 'directory' = 'file',
  platform: NodeJS.Platform = process.platform,
): string[] {
  if (typeof path !== 'string' || !path.startsWith('/')) throw badPath(path, 'does not start with "/"');
  if (Buffer.byteLength(path) > maxPathBytes) throw badPath(path, `is longer than ${maxPathBytes} bytes`);
  if (path.includes('\0')) throw badPath(path, 'contains a NUL character');
  if (!path.isWellFormed()) throw badPath(path, 'contains half a surrogate pair, which a file name cannot');
  if (kind === 'file' && path.endsWith('/')) throw badPath(path, 'names a directory, not a file');
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  for (const name of names) checkName(path, name, platform);
  if (kind === 'file' && names.length === 0) throw badPath(path, 'names the root, not a file');
  return names;
}

/**
 * Returns the names of a path to remove: with `recursive` also a directory, but not the root. @throws as `splitPath` does
 */
export function splitRemoved(path: string, recursive: boolean): string[] {
  return splitPath(recursive && path !== '/' ? path.replace(/\/$/, '') : path);
}

/**
 * Returns the names of a directory, and those from there to a file in it.
 * @throws `FILE_PATH` if the file is not in the directory, and as `splitPath` does
 */
export function splitWithin(
  path: string,
  directory: string,
): { readonly outer: readonly string[]; readonly inner: readonly string[] } {
  const outer = splitPath(directory, 'directory');
  const names = splitPath(path);
  if (names.length <= outer.length || !outer.every((name, index) => names[index] === name)) {
    throw badPath(path, `is not in ${quotePath(directory)}`);
  }
  return { outer, inner: names.slice(outer.length) };
}

/** Returns the normal form of a path: `/a/b` for `//a/./b`. */
export function joinPath(names: readonly string[]): string {
  return `/${names.join('/')}`;
}

export function toEntry(names: readonly string[], kind: FileEntry['kind'], isLink: boolean): FileEntry {
  const path = joinPath(names);
  return isLink ? { path, kind, link: true } : { path, kind };
}

/**
 * Returns a name or path in the form in which the least strict file systems compare it: without case, variants of a
 * letter, or invisible characters.
 */
export function foldName(name: string): string {
  if (/^[ -~]*$/.test(name)) return name.toLowerCase();
  return name
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toUpperCase()
    .toLowerCase();
}

/** Compares paths by code units, for the same order on every machine. */
export function byPath(a: FileEntry, b: FileEntry): number {
  return a.path < b.path ? -1 : Number(a.path > b.path);
}

/** Returns true if `diskFiles` reserves a name. */
export function isReservedName(name: string): boolean {
  return reservedName.test(name);
}

function checkName(path: string, name: string, platform: NodeJS.Platform): void {
  if (name === '..') throw badPath(path, 'contains "..", which could leave the root');
  if (Buffer.byteLength(name) > maxNameBytes) {
    throw badPath(path, `contains a name of more than ${maxNameBytes} bytes`);
  }
  if (platform === 'win32' && !isWindowsName(name)) {
    throw badPath(path, 'contains a name with another meaning, or none, on Windows');
  }
  if (isReservedName(name)) throw badPath(path, 'contains a name that is reserved for temporary files');
}

/**
 * Returns true if Windows keeps a name unchanged: it has no separators, drives, streams, devices, or endings that
 * Windows drops.
 */
export function isWindowsName(name: string): boolean {
  return (
    !/[\\/:*?"<>|]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name) && !hasControlCharacter(name)
  );
}

function hasControlCharacter(name: string): boolean {
  return Array.from(name).some((character) => character < ' ');
}

/** Returns a `FILE_PATH` error for a path and its fault. */
export function badPath(
  path: unknown,
  what: string,
  advice = 'Use an absolute path such as "/notes/today.md".',
): ShallotError {
  return new ShallotError('FILE_PATH', { message: `The path ${quotePath(path)} ${what}. ${advice}` });
}

/** Returns a path for a message: quoted, and truncated if it is long. */
export function quotePath(path: unknown): string {
  if (typeof path !== 'string') return `of type ${typeof path}`;
  return path.length > 200 ? `${JSON.stringify(path.slice(0, 200))}…` : JSON.stringify(path);
}
