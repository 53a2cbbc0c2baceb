import { isShallotError } from '@shallot/core';
import type { FileEntry, Files } from '@shallot/core/files';

import { IgnoreRules, patternsOf } from './ignore-rules.ts';
import type { Slices } from './slices.ts';

export interface WalkOptions {
  /** The rules for paths that no tool reaches. */
  readonly rules: IgnoreRules;
  /** Names of files with patterns for their directory. */
  readonly ignoreFiles: readonly string[];
  readonly slices: Slices;
}

/** The files of one directory. */
export interface FileGroup {
  readonly directory: string;
  readonly names: readonly string[];
}

/** The patterns of one directory, which hold for all below it. */
interface LocalRules {
  readonly directory: string;
  readonly rules: IgnoreRules;
}

/** The most bytes that are read of a file with patterns. */
const maxIgnoreBytes = 64 * 1024;

/** Finds the files below a directory, and counts what it leaves out. */
export class Walk {
  /** The number of ignored entries. The content of an ignored directory is not counted. */
  ignored = 0;
  /**
   * The number of directories that could not be listed, for example because they were replaced before the walk
   * reached them.
   */
  unreadable = 0;
  /** True if the directory at the start of the walk is empty or missing. */
  isEmpty = false;
  readonly #files: Files;
  readonly #options: WalkOptions;

  constructor(files: Files, options: WalkOptions) {
    this.#files = files;
    this.#options = options;
  }

  /** Returns the entries of one directory that are not ignored, including those that cannot be opened. */
  async entries(directory: string): Promise<readonly FileEntry[]> {
    const listed = await this.#files.list(directory, { all: true });
    const local = [...(await this.#rulesAbove(directory)), ...(await this.#rulesIn(directory, listed))];
    return this.#without(listed, local);
  }

  /**
   * Yields all files below a directory, sorted by name within each directory, before those of its subdirectories.
   * Ignored directories are not entered and links are not followed, so the walk ends and finds each file once.
   */
  async *files(directory: string): AsyncGenerator<string, void, undefined> {
    for await (const { directory: at, names } of this.groups(directory))
      for (const name of names) yield `${at === '/' ? '' : at}/${name}`;
  }

  /** Yields the same files, grouped by directory. */
  async *groups(directory: string): AsyncGenerator<FileGroup, void, undefined> {
    const open = [{ path: directory, above: await this.#rulesAbove(directory) }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const listed = await this.#list(next.path, directory);
      if (next.path === directory) this.isEmpty = listed.length === 0;
      const local = [...next.above, ...(await this.#rulesIn(next.path, listed))];
      const entries = await this.#without(listed, local);
      const at = next.path === '/' ? 1 : next.path.length + 1;
      const names = entries.flatMap(({ path, kind }) => (kind === 'file' ? [path.slice(at)] : []));
      if (names.length > 0) yield { directory: next.path, names };
      const inner = entries.filter(({ kind, link }) => kind === 'directory' && link !== true);
      for (const { path } of inner.toReversed()) open.push({ path, above: local });
    }
  }

  async #list(directory: string, from: string): Promise<readonly FileEntry[]> {
    try {
      return await this.#files.list(directory);
    } catch (error) {
      if (!isShallotError(error) || directory === from) throw error;
      this.unreadable += 1;
      return [];
    }
  }

  async #without(entries: readonly FileEntry[], local: readonly LocalRules[]): Promise<readonly FileEntry[]> {
    const { rules, slices } = this.#options;
    const cost = 500 * (1 + rules.size + local.reduce((sum, each) => sum + each.rules.size, 0));
    const kept: FileEntry[] = [];
    if (slices.spend(5000)) await slices.rest();
    for (const entry of entries) {
      const kind = entry.kind === 'directory' ? 'directory' : 'file';
      const isOut = rules.covers(entry.path, kind) || isIgnored(entry.path, kind, local);
      if (isOut || (entry.link === true && rules.covers(await this.#target(entry), kind))) this.ignored += 1;
      else kept.push(entry);
      if (slices.spend(cost)) await slices.rest();
    }
    return kept;
  }

  /** Returns the target of a link; the link itself if it cannot be opened. */
  async #target({ path, kind }: FileEntry): Promise<string> {
    if (kind === 'other' || this.#files.realPath === undefined) return path;
    try {
      return await this.#files.realPath(path);
    } catch (error) {
      // The link has changed since it was listed.
      if (isShallotError(error)) return path;
      throw error;
    }
  }

  /** Returns the rules of the directories above; none if they ignore the directory, because it was named explicitly. */
  async #rulesAbove(directory: string): Promise<readonly LocalRules[]> {
    const names = directory.split('/').filter((name) => name !== '');
    const found: LocalRules[] = [];
    for (const [depth] of names.entries()) {
      const above = `/${names.slice(0, depth).join('/')}`;
      found.push(...(await this.#rulesIn(above)));
    }
    return isIgnored(directory, 'directory', found) ? [] : found;
  }

  /** Returns the patterns in a directory. `listed` has its entries, if they are known. */
  async #rulesIn(directory: string, listed?: readonly FileEntry[]): Promise<LocalRules[]> {
    const found: LocalRules[] = [];
    for (const name of this.#options.ignoreFiles) {
      const path = `${directory === '/' ? '' : directory}/${name}`;
      if (listed?.some((entry) => entry.path === path && entry.kind === 'file') === false) continue;
      const text = await readPatterns(this.#files, path);
      if (text !== undefined) found.push({ directory, rules: new IgnoreRules(patternsOf(text)) });
    }
    return found;
  }
}

/**
 * Returns whether a path is ignored. The last pattern that matches decides, and those of an inner directory come
 * after those of an outer one.
 */
function isIgnored(path: string, kind: 'file' | 'directory', local: readonly LocalRules[]): boolean {
  let said: 'ignored' | 'wanted' | undefined;
  for (const { directory, rules } of local) {
    said = rules.says(directory === '/' ? path : path.slice(directory.length), kind) ?? said;
  }
  return said === 'ignored';
}

async function readPatterns(files: Files, path: string): Promise<string | undefined> {
  try {
    if ((await files.stat(path)) === undefined) return undefined;
    const { bytes } = await files.read(path, { length: maxIgnoreBytes });
    return Buffer.from(bytes).toString('utf8');
  } catch (error) {
    // A directory of that name, or a file that cannot be read, has no patterns.
    if (isShallotError(error)) return undefined;
    throw error;
  }
}
