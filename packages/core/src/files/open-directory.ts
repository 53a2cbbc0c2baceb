import { closeSync, constants, existsSync, openSync, readlinkSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';

import { foldName } from './path.ts';

/** Windows lacks the last two; `undefined` has no effect in a bitwise or. */
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/** The abilities of a system that matter for paths. */
export interface PathSystem {
  /** True on Linux: an entry of an open directory can be named through its handle, as with `openat`. */
  readonly hasHandlePaths: boolean;
  /** Returns a path without links, spelled as the system has it. */
  readonly realPath: (path: string) => string;
}

const thisSystem: PathSystem = {
  hasHandlePaths: process.platform === 'linux' && existsSync('/proc/self/fd'),
  realPath: (path) => realpathSync.native(path),
};

/**
 * A directory whose entries are reached without resolving its path again. On Linux that holds whatever is renamed or
 * swapped meanwhile. Node cannot do this on other systems: there, `isInPlace` checks, before and after, that the path
 * still leads here.
 */
export class OpenDirectory {
  readonly #fd: number | undefined;
  readonly #path: string;
  /** The real path of the root. */
  readonly root: string;
  /** The names that lead here from the root; none of them is a link. */
  readonly names: readonly string[];

  readonly #system: PathSystem;

  private constructor(
    fd: number | undefined,
    path: string,
    system: PathSystem,
    root: string,
    names: readonly string[],
  ) {
    this.#fd = fd;
    this.#path = path;
    this.#system = system;
    this.root = root;
    this.names = names;
  }

  /** Opens the directory at a path, following links. Only for a root. */
  static root(path: string, system = thisSystem): OpenDirectory {
    const real = system.realPath(path);
    return OpenDirectory.#open(real, system, real, []);
  }

  static #open(path: string, system: PathSystem, root: string, names: readonly string[]): OpenDirectory {
    const fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (system.hasHandlePaths) return new OpenDirectory(fd, `/proc/self/fd/${fd}`, system, root, names);
    closeSync(fd);
    return new OpenDirectory(undefined, asSpelled(path, system), system, root, names);
  }

  /** Opens a subdirectory; a link to a directory is refused. */
  open(name: string): OpenDirectory {
    return OpenDirectory.#open(this.entry(name), this.#system, this.root, [...this.names, name]);
  }

  /** Returns the path by which Node reaches an entry. */
  entry(name: string): string {
    return `${this.#path}${sep}${name}`;
  }

  /** Returns the current path of the directory according to the system. */
  realPath(): string {
    return this.#fd === undefined ? this.#system.realPath(this.#path) : readlinkSync(this.#path);
  }

  /** Returns true if the path that `entry` returned still leads to this directory, and not to one that replaced it. */
  isInPlace(): boolean {
    return this.#fd !== undefined || this.realPath() === this.#path;
  }

  /** The file descriptor, if there is one, for flushing renames. */
  get fd(): number | undefined {
    return this.#fd;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
  }
}

/**
 * Returns a path as the system spells it, if that differs only in case or in the forms of letters: macOS and Windows find
 * `/src` as `/SRC`, too. Any other real path is the target of a link, so the path is returned unchanged.
 */
function asSpelled(path: string, { realPath }: PathSystem): string {
  const real = realPath(path);
  return foldName(real) === foldName(path) ? real : path;
}
