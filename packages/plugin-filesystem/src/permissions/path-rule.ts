import { fitsPattern } from '@shallot/core/plugin';

/** Characters that have a meaning in patterns of other tools, and none here. */
const foreign = /[?[\]{}]|^!/;

/** Returns advice on a pattern that is not valid for paths; undefined for a valid one. */
export function advisePathRule(pattern: string): string | undefined {
  if (foreign.test(pattern)) return 'in patterns of paths only * and ** have a meaning: write these';
  if (namesOf(pattern).includes('..')) return 'write the path from the root on, without ".."';
  return /^(?:~|[A-Za-z]:)/.test(pattern)
    ? 'write the path from the root of the files on, such as "src/**"'
    : undefined;
}

/** A pattern of paths: `*` stands for any characters of a name, `**` for any names; one without a slash fits at any depth. */
export class PathRule {
  /** The names of the pattern. `**` stands for any number of names. */
  readonly names: readonly string[];

  constructor(pattern: string) {
    const names = namesOf(pattern);
    const below = pattern.endsWith('/') ? ['**'] : [];
    const isAnywhere = !pattern.replace(/\/+$/, '').includes('/') && pattern !== '**';
    this.names = [...(isAnywhere ? ['**'] : []), ...names, ...below];
  }

  /** Returns true if the pattern fits a path. */
  fits(path: string): boolean {
    return this.#after(namesOf(path)).has(this.names.length);
  }

  /** Returns true if the pattern surely fits every path that another one fits. */
  covers({ names }: PathRule): boolean {
    let states = this.#open([0]);
    for (const [index, name] of names.entries()) {
      const next: number[] = [];
      for (const at of states) {
        const pattern = this.names[at];
        // The other pattern's `**` stands for any number of names, which only a `**` of this pattern can cover.
        if (name === '**') {
          if (pattern === '**') next.push(at, ...(index === names.length - 1 ? [at + 1] : []));
        } else if (pattern === '**') next.push(at, at + 1);
        // A star of the other pattern is compared like a character, which only a star fits.
        else if (pattern !== undefined && fitsPattern(pattern, name)) next.push(at + 1);
      }
      states = this.#open(next);
    }
    return states.has(this.names.length);
  }

  /** Returns true if the pattern fits everything below a directory. */
  fitsAllBelow(directory: string): boolean {
    // No pattern contains this name, so only a `**` at the end, which fits everything, can fit it.
    return this.names.at(-1) === '**' && this.fits(`${directory}/\0`);
  }

  /** Returns true if the pattern fits a path, a directory above it, or everything below it. */
  reaches(path: string): boolean {
    const names = namesOf(path);
    const above = names.map((_, index) => names.slice(0, index + 1).join('/'));
    return above.some((each) => this.fits(each)) || this.fitsAllBelow(path);
  }

  /** Returns true if the pattern may fit a path below a directory. */
  mayFitBelow(directory: string): boolean {
    return [...this.#after(namesOf(directory))].some((at) => at < this.names.length);
  }

  /**
   * Returns the positions in the pattern that may be reached after these names of a path: several, because `**` may
   * stand for any number.
   */
  #after(path: readonly string[]): ReadonlySet<number> {
    let states = this.#open([0]);
    for (const name of path) {
      const next: number[] = [];
      for (const at of states) {
        const pattern = this.names[at];
        if (pattern === '**') next.push(at, at + 1);
        else if (pattern !== undefined && fitsPattern(pattern, name)) next.push(at + 1);
      }
      states = this.#open(next);
    }
    return states;
  }

  /** Adds the position after each `**`, because it may stand for no name. A `**` at the end stands for at least one. */
  #open(states: readonly number[]): ReadonlySet<number> {
    const open = new Set(states);
    for (const at of open) {
      if (this.names[at] === '**' && at < this.names.length - 1) open.add(at + 1);
    }
    return open;
  }
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}
