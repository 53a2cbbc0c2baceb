import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';

import { foldName } from '../path.ts';

/** The files of this machine that agents of this process were made from, as `foldName` spells them. */
const files = new Set<string>();

/**
 * The globs by which agents of this process found modules, by their pattern: a new file that matches is loaded at the
 * next start.
 */
const globs = new Map<string, RegExp>();

/** A glob, as it was given. */
export interface LoadedGlob {
  readonly directory: string;
  readonly glob: string;
}

/** The sources of an agent, which only people should change. */
export interface LoadedSources {
  readonly files: ReadonlySet<string>;
  /** By absolute pattern. */
  readonly globs: ReadonlyMap<string, LoadedGlob>;
}

/** The sources of the agents that are being loaded. */
const loading = new Set<{ readonly files: Set<string>; readonly globs: Map<string, LoadedGlob> }>();

/**
 * Collects the sources of an agent that `load` loads. They include those of an agent that is loaded at the same time,
 * because the two cannot be told apart.
 */
export async function collectSources<T>(load: (sources: LoadedSources) => Promise<T>): Promise<T> {
  const sources = { files: new Set<string>(), globs: new Map<string, LoadedGlob>() };
  loading.add(sources);
  try {
    return await load(sources);
  } finally {
    loading.delete(sources);
  }
}

/**
 * Protects a file of this machine that controls the agent: no `diskFiles` of this process writes or removes it, unless it
 * is unlocked. The file may be missing. A relative path starts at the working directory. `state` is a file that the agent
 * itself writes: it may change while a session runs.
 */
export function protectFile(path: string, kind: 'source' | 'state' = 'source'): void {
  if (kind === 'source') for (const sources of loading) sources.files.add(resolve(path));
  for (const each of spellings(resolve(path))) files.add(foldName(each));
}

/**
 * Protects the files that match a glob, even if they do not exist yet; `?`, `[…]` and `{…}` match any characters of a
 * name. `**` at the end matches the directory with everything in it.
 */
export function protectGlob(directory: string, glob: string, kind: 'source' | 'state' = 'source'): void {
  if (kind === 'source')
    for (const sources of loading) sources.globs.set(resolve(directory, glob), { directory, glob });
  const names = resolve(directory, glob).split(sep);
  const wild = names.findIndex(isWild);
  for (const start of spellings(names.slice(0, wild).join(sep) || sep)) {
    const pattern = [...start.split(sep).map(escape), ...names.slice(wild).map(inGlob)];
    const source = foldName(pattern.join('/'))
      .replace(/\/\*\*$/, '(?:/.*)?')
      .replaceAll('**/', '(?:[^/]+/)*');
    globs.set(source, new RegExp(`^${source}$`));
  }
}

/** Protects the files that match a glob below `root`. A path without wildcards names a single file. */
export function protectIn(root: string, glob: string, kind: 'source' | 'state'): void {
  const inside = glob.replace(/^\/+/, '');
  if (isWild(inside)) protectGlob(root, inside, kind);
  else protectFile(resolve(root, inside), kind);
}

function isWild(name: string): boolean {
  return /[*?[{]/.test(name);
}

/** Returns a path, and the paths that its links lead to, since replacing a link replaces the file, too. */
function spellings(path: string): readonly string[] {
  return [path, join(realPathOf(dirname(path)), basename(path)), realPathOf(path)];
}

/** Returns true if an absolute path of this machine, without links, is a protected file or matches a protected glob. */
export function isLoadedFile(path: string): boolean {
  const folded = foldName(path);
  if (files.has(folded)) return true;
  const slashed = folded.replaceAll(sep, '/');
  return [...globs.values()].some((glob) => glob.test(slashed));
}

/** Returns a name of a glob as a regular expression, except for `**`, which `protectGlob` replaces. */
function inGlob(name: string): string {
  return name === '**'
    ? name
    : name
        .split(/\*+|\?|\[[^\]]*\]|\{[^}]*\}/)
        .map(escape)
        .join('[^/]*');
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** Returns the path without links, as far as it exists. */
function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // The path does not exist, but directories above it may.
    return dirname(path) === path ? path : join(realPathOf(dirname(path)), basename(path));
  }
}
