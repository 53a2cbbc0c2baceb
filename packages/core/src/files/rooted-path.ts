import { isShallotError } from '../base/errors.ts';
import type { Files } from './files.ts';

/**
 * Returns the normal form of a path that a model writes: `/a/b` for `a//./x/../b/`. Invalid paths are left for the
 * files service to reject.
 */
export function fullPath(path: string): string {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    // A path that leads out of the root stays as it is: the files refuse it.
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return path;
  }
  return `/${names.join('/')}`;
}

/**
 * Converts a path or pattern of this machine that begins with the root's own path to one from the root on; returns
 * undefined for any other.
 */
export function belowRoot(
  path: string,
  root: string | undefined,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (root === undefined || root === '/') return undefined;
  const isWindows = platform === 'win32';
  const fold = (text: string): string => (isWindows ? text.toLowerCase() : text);
  const given = isWindows ? path.replaceAll('\\', '/') : path;
  const own = isWindows ? root.replaceAll('\\', '/') : root;
  // `fullPath` puts a slash before a drive letter.
  const begin = given.startsWith('/') && !own.startsWith('/') ? `/${own}` : own;
  if (!fold(`${given}/`).startsWith(fold(`${begin}/`))) return undefined;
  return given.slice(begin.length) || '/';
}

/**
 * Returns the path from the root on that a model means. Relative paths begin at the root. Paths of this machine below the
 * root, as compilers print them, are converted, unless the files have them as written. Tools, and the code that judges
 * their calls, both use this, so that they mean the same file.
 */
export async function rootedPath(
  path: string,
  files: Pick<Files, 'root' | 'stat'>,
  platform: NodeJS.Platform = process.platform,
): Promise<string> {
  const full = fullPath(path);
  const inside = belowRoot(full, files.root, platform);
  return inside === undefined || (await isThere(full, files)) ? full : inside;
}

async function isThere(path: string, files: Pick<Files, 'stat'>): Promise<boolean> {
  try {
    return (await files.stat(path)) !== undefined;
  } catch (error) {
    // It exists: it is a directory, or protected.
    if (isShallotError(error, 'FILE_KIND') || isShallotError(error, 'FILE_PROTECTED')) return true;
    if (isShallotError(error)) return false;
    throw error;
  }
}
