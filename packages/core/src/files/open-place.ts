import { lstatSync, mkdirSync, readlinkSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';

import { systemCode } from '../base/thrown.ts';
import { notADirectory } from './file-errors.ts';
import { makeDirectory } from './make-directory.ts';
import { OpenDirectory } from './open-directory.ts';
import { badPath, quotePath } from './path.ts';

/** The limit of Linux (`MAXSYMLINKS`). */
const maxLinks = 40;

/** A name in an open directory; the name was not a link when it was checked. */
export interface Place {
  readonly directory: OpenDirectory;
  readonly name: string;
}

/** Called with an open directory, or an entry of it, before that is used. May throw. */
export type Guard = (directory: OpenDirectory, name?: string, kind?: 'missing-directory') => void;

interface WalkOptions {
  /** The path as it was given, for errors. */
  readonly path: string;
  /** The boundary that no link may cross, for errors. Default: the root. */
  readonly within?: string;
  /** True if missing directories are created. */
  readonly create: boolean;
  /** True if a link in the path is refused. Default: false. */
  readonly noLinks?: boolean | undefined;
  /** Called with each directory and entry that is opened. May throw. */
  readonly guard?: Guard | undefined;
}

/**
 * Opens a directory. Returns undefined if there is none, and it is not to be created. @throws `FILE_PATH` if a link is
 * refused, `FILE_KIND` if a file is in the way of a directory to create
 */
export function openDirectory(
  root: string,
  names: readonly string[],
  options: WalkOptions,
): OpenDirectory | undefined {
  return walk(root, options, (walker) => {
    if (!walker.enter(names)) return false;
    walker.guard();
    return true;
  });
}

/**
 * Opens the directory of a file; undefined if it is missing. `follow` is true if the file may be a link. A root that is
 * already open gets closed.
 */
export function openPlace(
  root: string | OpenDirectory,
  names: readonly string[],
  options: WalkOptions & { readonly follow: boolean },
): Place | undefined {
  let name = names.at(-1) ?? '.';
  const directory = walk(root, options, (walker) => {
    if (!walker.enter(names.slice(0, -1))) return false;
    for (;;) {
      const target = options.follow ? walker.linkTarget(name) : undefined;
      if (target === undefined) {
        walker.guard(name);
        return true;
      }
      if (!walker.enter(target.slice(0, -1))) return false;
      // A target `..` or the root is a directory; opening it as a file reports that.
      const last = target.at(-1) ?? '.';
      if (last === '..') walker.enter([last]);
      name = last === '..' ? '.' : last;
    }
  });
  return directory && { directory, name };
}

function walk(
  root: string | OpenDirectory,
  options: WalkOptions,
  go: (walker: Walker) => boolean,
): OpenDirectory | undefined {
  const walker = Walker.start(root, options);
  if (walker === undefined) return undefined;
  try {
    return go(walker) ? walker.take() : undefined;
  } finally {
    walker.close();
  }
}

/** Descends one name at a time and resolves links itself, so that no link leads outside the root. */
class Walker {
  readonly #options: WalkOptions;
  /** The open directories from the root to the current one; never empty. */
  readonly #open: OpenDirectory[];
  #taken: OpenDirectory | undefined;
  #links = 0;

  private constructor(root: OpenDirectory, options: WalkOptions) {
    this.#open = [root];
    this.#options = options;
  }

  static start(root: string | OpenDirectory, options: WalkOptions): Walker | undefined {
    if (typeof root !== 'string') return new Walker(root, options);
    if (options.create) makeDirectory(root);
    try {
      return new Walker(OpenDirectory.root(root), options);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Descends by these names. Returns false if one is not a directory, and is not to be created. */
  enter(names: readonly string[]): boolean {
    return names.every((name) => this.#enterOne(name));
  }

  #enterOne(name: string): boolean {
    if (name === '.') return true;
    if (name === '..') return this.#leave();
    try {
      this.#open.push(this.#here().open(name));
      return true;
    } catch (error) {
      const code = systemCode(error);
      if (code === 'ENOENT') {
        this.guard(name, 'missing-directory');
        return this.#options.create && this.#make(name);
      }
      if (code !== 'ENOTDIR' && code !== 'ELOOP') throw error;
    }
    const target = this.linkTarget(name);
    if (target !== undefined) return this.enter(target);
    if (this.#options.create) throw notADirectory(this.#options.path);
    return false;
  }

  /**
   * Returns the names of a link's target, from here or, if the target is absolute, from the root, to which the walk then
   * goes back. Undefined if the name is not a link.
   */
  linkTarget(name: string): string[] | undefined {
    const target = readLink(this.#here().entry(name));
    if (target === undefined) return undefined;
    if (this.#options.noLinks === true)
      throw badPath(
        this.#options.path,
        'has a link in it, which it had not before',
        'Ask again where it leads.',
      );
    this.#links += 1;
    if (this.#links > maxLinks) throw badPath(this.#options.path, `follows more than ${maxLinks} links`);
    if (!isAbsolute(target)) return target.split(sep).filter((part) => part !== '' && part !== '.');
    for (const directory of this.#open.splice(1)) directory.close();
    const inside = relative(this.#here().realPath(), target);
    // On Windows, from one drive to another. Any other way out begins with `..`, which `enter` refuses.
    if (isAbsolute(inside)) throw this.#outside();
    return inside.split(sep).filter((part) => part !== '');
  }

  guard(name?: string, kind?: 'missing-directory'): void {
    this.#options.guard?.(this.#here(), name, kind);
  }

  /** Returns the current directory; the caller closes it. */
  take(): OpenDirectory {
    this.#taken = this.#here();
    return this.#taken;
  }

  /** Closes all directories except the one that `take` returned. */
  close(): void {
    for (const directory of this.#open) if (directory !== this.#taken) directory.close();
  }

  #make(name: string): boolean {
    try {
      mkdirSync(this.#here().entry(name));
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
    this.#open.push(this.#here().open(name));
    return true;
  }

  #leave(): boolean {
    if (this.#open.length === 1) throw this.#outside();
    this.#open.pop()?.close();
    return true;
  }

  #here(): OpenDirectory {
    const here = this.#open.at(-1);
    if (here === undefined) throw new Error('a walk has left its root');
    return here;
  }

  #outside(): Error {
    const { path, within } = this.#options;
    return badPath(
      path,
      `follows a link out of ${within === undefined ? 'the root' : quotePath(within)}`,
      'Use a regular file instead of a link.',
    );
  }
}

/** Returns the target of a link; undefined if the path is not a link or does not exist. */
function readLink(path: string): string | undefined {
  // Checked first, because most files are not links, and a thrown error is expensive.
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
  try {
    return readlinkSync(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EINVAL' || code === 'ENOENT' || code === 'UNKNOWN') return undefined;
    throw error;
  }
}
