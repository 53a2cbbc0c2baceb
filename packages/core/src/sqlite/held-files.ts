import { statSync, type BigIntStats } from 'node:fs';

interface HeldFile {
  readonly path: string;
  /** What the path led to; undefined when it led nowhere. */
  readonly found: BigIntStats | undefined;
}

/** The files that a connection has open, by what their paths led to when it opened them. */
export class HeldFiles {
  readonly #files: readonly HeldFile[];

  constructor(paths: readonly string[]) {
    this.#files = paths.map((path) => ({ path, found: fileAt(path) }));
  }

  /** The path of the first that is not there any more, or leads to another file. */
  findMoved(): string | undefined {
    return this.#files.find(({ path, found }) => {
      const present = fileAt(path);
      return present === undefined || present.ino !== found?.ino || present.dev !== found.dev;
    })?.path;
  }
}

/** Some file systems number files beyond what JavaScript's numbers hold. */
function fileAt(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}
