import { statSync, type BigIntStats } from 'node:fs';

interface HeldFile {
  readonly path: string;
  /** What the path led to; undefined when it led nowhere. */
  readonly found: BigIntStats | undefined;
  readonly isFilled: boolean;
}

/** The files that a connection has open, by what their paths led to when it opened them. */
export class HeldFiles {
  readonly #files: readonly HeldFile[];

  /** @param filled the file that is never empty; of the others, some are whenever their content has gone into it */
  constructor(filled: string, others: readonly string[] = []) {
    this.#files = [filled, ...others].map((path) => ({
      path,
      found: fileAt(path),
      isFilled: path === filled,
    }));
  }

  /** The path of the first that is not there any more, leads to another file, or was emptied. */
  findMoved(): string | undefined {
    return this.#files.find(({ path, found, isFilled }) => {
      const present = fileAt(path);
      if (present === undefined || present.ino !== found?.ino || present.dev !== found.dev) return true;
      return isFilled && present.size === 0n;
    })?.path;
  }
}

/** Some file systems number files beyond what JavaScript's numbers hold. */
function fileAt(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}
