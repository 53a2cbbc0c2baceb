import { closeSync, constants, existsSync, openSync, readlinkSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';

/** Windows has none of the last two; `undefined` counts as no flag in a bitwise or. */
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/** On Linux an entry of an open directory can be named through its handle, as with `openat`. */
const handlePaths = process.platform === 'linux' && existsSync('/proc/self/fd');

/**
 * A directory whose entries are reached without going through its path again. On Linux that holds whatever is renamed
 * or swapped meanwhile. Elsewhere Node cannot do it: there `isInPlace` tells, before and after, that the path still leads here.
 */
export class OpenDirectory {
  readonly #fd: number | undefined;
  readonly #path: string;

  private constructor(fd: number | undefined, path: string) {
    this.#fd = fd;
    this.#path = path;
  }

  /** The directory where a path leads, through links or not: only for a root. */
  static root(path: string): OpenDirectory {
    const real = realpathSync.native(path);
    return OpenDirectory.#open(real, real);
  }

  static #open(path: string, real: string): OpenDirectory {
    const fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (handlePaths) return new OpenDirectory(fd, `/proc/self/fd/${fd}`);
    closeSync(fd);
    return new OpenDirectory(undefined, real);
  }

  /** A directory in this one, not a link to one. */
  open(name: string): OpenDirectory {
    return OpenDirectory.#open(this.entry(name), this.entry(name));
  }

  /** What Node is to be given to reach an entry. */
  entry(name: string): string {
    return `${this.#path}${sep}${name}`;
  }

  /** The path of the directory as the system knows it now. */
  realPath(): string {
    return this.#fd === undefined ? realpathSync.native(this.#path) : readlinkSync(this.#path);
  }

  /** Whether what `entry` gave is still an entry of this directory and not of another that took its place. */
  isInPlace(): boolean {
    return this.#fd !== undefined || this.realPath() === this.#path;
  }

  /** The handle, where there is one: to flush what was renamed. */
  get fd(): number | undefined {
    return this.#fd;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
  }
}
