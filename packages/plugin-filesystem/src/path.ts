import type { Files } from '@shallot/core/files';
import { replaceHidden } from '@shallot/core/plugin';

import type { IgnoreRules } from './ignore-rules.ts';
import { Refusal } from './refusal.ts';

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
 * The path of a file or directory that the tools may reach, also where a link leads. A path of the machine that lies below
 * the root, as compilers print them, is taken as well. @throws `Refusal`
 */
export async function reachable(
  path: string,
  kind: 'file' | 'directory',
  rules: IgnoreRules,
  files: Files,
): Promise<string> {
  const full = await belowRoot(fullPath(path), files);
  if (full.split('/').includes('..'))
    throw new Refusal(`${showPath(path)} leads out of the root. Paths begin there: /src/a.ts, or src/a.ts.`);
  if (!rules.covers(full, kind) && !rules.covers((await files.realPath?.(full)) ?? full, kind)) return full;
  throw new Refusal(`${showPath(full)} is out of reach: these tools do not touch it.`);
}

/** Returns a path from the root on for a path of the machine that lies below the root; any other as it is. */
export async function belowRoot(
  path: string,
  files: Files,
  platform: NodeJS.Platform = process.platform,
): Promise<string> {
  if (files.root === undefined || files.root === '/') return path;
  const isWindows = platform === 'win32';
  const root = isWindows ? `/${files.root.replaceAll('\\', '/')}` : files.root;
  const full = isWindows ? path.replaceAll('\\', '/') : path;
  const fold = (text: string): string => (isWindows ? text.toLowerCase() : text);
  if (!fold(`${full}/`).startsWith(fold(`${root}/`))) return path;
  // The root may hold a directory of the name with which its own path begins.
  const [, first = ''] = full.split('/');
  const entries = await files.list('/');
  return entries.some((entry) => entry.path === `/${first}`) ? path : full.slice(root.length) || '/';
}

/**
 * A path on one line: as it is, or in quotes if it has control or hidden characters, written as in JSON, so that a model
 * can name the file.
 */
export function showPath(path: string): string {
  const quoted = JSON.stringify(path);
  const shown = replaceHidden(quoted, escapeUnits);
  return shown === `"${path}"` ? path : shown;
}

function escapeUnits(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => String.raw`\u` + character.charCodeAt(index).toString(16).padStart(4, '0'),
  ).join('');
}
