import ignore, { type Ignore } from 'ignore';

/** The number of paths after which the matcher is replaced, because the library caches every path. */
const maxRemembered = 5000;

/** Patterns in the syntax of `.gitignore`, for paths from the root on. Case makes no difference, as on some disks. */
export class IgnoreRules {
  readonly #patterns: readonly string[];
  #rules: Ignore;
  #asked = 0;

  constructor(patterns: readonly string[]) {
    this.#patterns = patterns;
    this.#rules = ignore().add(patterns);
  }

  /** The number of patterns that a path is compared with. */
  get size(): number {
    return this.#patterns.length;
  }

  /** Returns whether a path, or a directory above it, is ignored. */
  covers(path: string, kind: 'file' | 'directory'): boolean {
    return this.says(path, kind) === 'ignored';
  }

  /** Returns the verdict of the patterns on a path; undefined if none of them matches, and for the root. */
  says(path: string, kind: 'file' | 'directory'): 'ignored' | 'wanted' | undefined {
    const relative = path.slice(1);
    // The files refuse such paths, and the library throws for them.
    if (relative === '' || relative.split('/').includes('..')) return undefined;
    this.#asked += 1;
    if (this.#asked % maxRemembered === 0) this.#rules = ignore().add(this.#patterns);
    const { ignored, unignored } = this.#rules.test(kind === 'directory' ? `${relative}/` : relative);
    if (ignored) return 'ignored';
    return unignored ? 'wanted' : undefined;
  }
}

/** The most stars in one name, and in one line. With more, a comparison could take long. */
const maxStarsInName = 2;
const maxStars = 5;

/**
 * Returns the patterns of a file that anybody may have written, including the model. Leaves out patterns whose
 * comparison with a long name could take long.
 */
export function patternsOf(text: string): string[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .filter((line) => {
      const stars = (part: string): number => part.match(/\*+/g)?.length ?? 0;
      return (
        line.length <= 1000 &&
        stars(line) <= maxStars &&
        line.split('/').every((name) => stars(name) <= maxStarsInName)
      );
    });
}
