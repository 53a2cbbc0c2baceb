import { isShallotError } from '../base/errors.ts';
import type { Files } from './files.ts';

/** The one spelling of a path that a model writes: `/a/b` for `a//./x/../b/`. What is wrong with it is left to the files. */
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
 * Returns the path from the root on for a path, or a pattern, of this machine that begins with the root's own path; undefined
 * for any other.
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
  // A path that was made full has a slash before the drive.
  const begin = given.startsWith('/') && !own.startsWith('/') ? `/${own}` : own;
  if (!fold(`${given}/`).startsWith(fold(`${begin}/`))) return undefined;
  return given.slice(begin.length) || '/';
}

/**
 * Returns the path from the root on that a model means: relative ones begin at the root, and one of this machine below the
 * root, as compilers print it, is taken as well, unless the files have it as it is written. Tools and whatever judges their
 * calls use this, so that all of them mean the same file.
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
    // A directory, or something that is out of reach.
    if (isShallotError(error, 'FILE_KIND') || isShallotError(error, 'FILE_PROTECTED')) return true;
    if (isShallotError(error)) return false;
    throw error;
  }
}
