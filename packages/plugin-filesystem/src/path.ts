import { resolve } from 'node:path';

import { isShallotError } from '@shallot/core';
import type { FileEntry, Files } from '@shallot/core/files';
import { belowRoot, nearest, replaceHidden, rootedPath } from '@shallot/core/plugin';

import type { IgnoreRules } from './ignore-rules.ts';
import type { PathSpelling } from './options.ts';
import { Refusal } from './refusal.ts';

/** Returns a path as the tools print it. */
export type ShowPath = (path: string) => string;

/** Returns a function that prints paths: from the root on, or as paths of this machine if the files are on its disk. */
export function pathsOf(files: Pick<Files, 'root'>, spelling: PathSpelling): ShowPath {
  return (path) => {
    const { root } = files;
    return showPath(spelling === 'root' || root === undefined ? path : resolve(root, `.${path}`));
  };
}

/**
 * Returns the path of a file or directory that the tools may reach, before and after links are followed. Accepts a
 * path of the machine below the root, too, as compilers print it. @throws `Refusal`
 */
export async function reachable(
  path: string,
  kind: 'file' | 'directory',
  rules: IgnoreRules,
  { files, show }: { readonly files: Files; readonly show: ShowPath },
): Promise<string> {
  const full = await rootedPath(path, files);
  if (full.split('/').includes('..'))
    throw new Refusal(
      `${showPath(path)} leads out of the root. Paths begin there: ${show('/src/a.ts')}, or src/a.ts.`,
    );
  if (!rules.covers(full, kind) && !rules.covers((await files.realPath?.(full)) ?? full, kind)) return full;
  throw new Refusal(`${show(full)} is out of reach: these tools do not touch it.`);
}

/** The most spellings that are tried for a path that does not exist. */
const maxSpellings = 20;

/** The most names that are compared with one that does not exist. */
const maxCompared = 1000;

/**
 * Returns an existing path that may be meant by a missing one: the same path without its first names, as in a path of
 * another machine, or with a last name that is nearly the same. Undefined without one.
 */
export async function nearPath(path: string, rules: IgnoreRules, files: Files): Promise<string | undefined> {
  const names = path.split('/').filter((name) => name !== '');
  for (let from = 1; from < Math.min(names.length, maxSpellings); from += 1) {
    const shorter = `/${names.slice(from).join('/')}`;
    const entries = await entriesBeside(shorter, rules, files);
    if (entries.some((entry) => entry.path === shorter)) return shorter;
  }
  const entries = await entriesBeside(path, rules, files);
  const known = new Map(entries.slice(0, maxCompared).map((entry) => [nameOf(entry.path), entry.path]));
  return known.get(nearest(nameOf(path), [...known.keys()]) ?? '');
}

/** Returns the entries of a path's directory that the tools reach. A listing leaves out protected ones itself. */
async function entriesBeside(path: string, rules: IgnoreRules, files: Files): Promise<readonly FileEntry[]> {
  try {
    const entries = await files.list(path.slice(0, path.lastIndexOf('/')) || '/');
    return entries.filter(({ path: each, kind }) => kind !== 'other' && !rules.covers(each, kind));
  } catch (error) {
    // The parent is not a directory.
    if (isShallotError(error)) return [];
    throw error;
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns a glob without the root's own path, with which models may begin it after they saw a path of the machine. */
export function globBelowRoot(glob: string, { root }: Pick<Files, 'root'>): string {
  return belowRoot(glob, root) ?? glob;
}

/**
 * Returns a path on one line. A path with control or hidden characters is quoted and escaped as in JSON, so that a
 * model can name the file.
 */
function showPath(path: string): string {
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
