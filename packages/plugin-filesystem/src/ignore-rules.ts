import ignore, { type Ignore } from 'ignore';

/** The library caches each path that it is asked about, so it is replaced from time to time. */
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

  /** Returns the verdict of the patterns on a path; undefined if none of them matches. */
  says(path: string, kind: 'file' | 'directory'): 'ignored' | 'wanted' | undefined {
    const relative = path.slice(1);
    // Such a path is refused by the files; the library knows no names like these.
    if (relative === '' || relative.split('/').includes('..')) return undefined;
    this.#asked += 1;
    if (this.#asked % maxRemembered === 0) this.#rules = ignore().add(this.#patterns);
    const { ignored, unignored } = this.#rules.test(kind === 'directory' ? `${relative}/` : relative);
    if (ignored) return 'ignored';
    return unignored ? 'wanted' : undefined;
  }
}

/** More stars than this in one name, or in one line, and a comparison could take long. */
const maxStarsInName = 2;
const maxStars = 5;

/**
 * The patterns of a file that anybody may have written, the model for instance: without those whose comparison with a
 * long name would take more than a moment.
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
