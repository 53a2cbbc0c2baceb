import { fitsPattern } from '@shallot/core/plugin';

/** Characters that have a meaning in patterns of other tools, and none here. */
const foreign = /[?[\]{}]|^!/;

/** Returns advice for a pattern that is not one of paths; undefined for one that is. */
export function advisePathRule(pattern: string): string | undefined {
  if (foreign.test(pattern)) return 'in patterns of paths only * and ** have a meaning: write these';
  if (namesOf(pattern).includes('..')) return 'write the path from the root on, without ".."';
  return /^(?:~|[A-Za-z]:)/.test(pattern)
    ? 'write the path from the root of the files on, such as "src/**"'
    : undefined;
}

/** A pattern of paths: `*` stands for any characters of a name, `**` for any names; one without a slash fits at any depth. */
export class PathRule {
  /** The names of a path, with `**` for any of them. */
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
        // Any names, or none of them: only a `**` that stays where it is takes these.
        if (name === '**') {
          if (pattern === '**') next.push(at, ...(index === names.length - 1 ? [at + 1] : []));
        } else if (pattern === '**') next.push(at, at + 1);
        // A star of the other one is a character that only a star fits.
        else if (pattern !== undefined && fitsPattern(pattern, name)) next.push(at + 1);
      }
      states = this.#open(next);
    }
    return states.has(this.names.length);
  }

  /** Returns true if the pattern fits everything below a directory. */
  fitsAllBelow(directory: string): boolean {
    // No pattern names it, so only a `**` at the end, which takes everything, can fit it as the last name.
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

  /** Returns how many names of the pattern may be behind after these names of a path: a set, since `**` leaves it open. */
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

  /** Adds the places after each `**`, which may stand for nothing; at the end it stands for one name at least. */
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
