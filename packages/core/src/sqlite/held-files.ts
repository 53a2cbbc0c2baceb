import { statSync, type BigIntStats } from 'node:fs';

interface HeldFile {
  readonly path: string;
  /** The file at the path when it was opened; undefined if there was none. */
  readonly found: BigIntStats | undefined;
  readonly isFilled: boolean;
}

/** The files that a connection has open, compared with those now at their paths. */
export class HeldFiles {
  readonly #files: readonly HeldFile[];

  /** @param filled the file that is never empty; the others may be empty after their content was moved into it */
  constructor(filled: string, others: readonly string[] = []) {
    this.#files = [filled, ...others].map((path) => ({
      path,
      found: fileAt(path),
      isFilled: path === filled,
    }));
  }

  /** Returns the first path whose file was removed, replaced or emptied; undefined if there is none. */
  findMoved(): string | undefined {
    return this.#files.find(({ path, found, isFilled }) => {
      const present = fileAt(path);
      if (present === undefined || present.ino !== found?.ino || present.dev !== found.dev) return true;
      return isFilled && present.size === 0n;
    })?.path;
  }
}

/** Uses bigint, because some file systems have inode numbers beyond 2^53. */
function fileAt(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}
