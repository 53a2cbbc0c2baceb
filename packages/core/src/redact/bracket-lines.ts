import { behindQuoted } from './quoted-at.ts';

/** The end of a value that starts with a bracket. */
export interface BracketEnd {
  readonly end: number;
  /** True if the bracket is not closed: the value ends with its line. */
  readonly isOpen?: true;
}

/**
 * Finds closing brackets. Quotes end with their line, so the depth change of a whole line is constant: each line is
 * counted once, however many unclosed brackets are searched.
 */
export class BracketLines {
  readonly #text: string;
  #lines: Lines | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the position after the bracket that closes the one at `from`; if none does, the end of its line. */
  closing(from: number): BracketEnd {
    const own = passLine(this.#text, from, 0);
    if (own.closedAt !== undefined) return { end: own.closedAt };
    const open: BracketEnd = { end: own.end, isOpen: true };
    if (own.end === this.#text.length) return open;
    this.#lines ??= countLines(this.#text);
    const { starts, lowest, nextLower } = this.#lines;
    const line = lineAt(starts, own.end + 1);
    // Depths are counted from the first line. The bracket is closed where the depth falls to `base`.
    const base = (this.#lines.before[line] ?? 0) - own.change;
    let at = line;
    while (at < starts.length && (lowest[at] ?? 0) > base) at = nextLower[at] ?? starts.length;
    const start = starts[at];
    if (start === undefined) return open;
    const { closedAt } = passLine(this.#text, start, (this.#lines.before[at] ?? 0) - base);
    return closedAt === undefined ? open : { end: closedAt };
  }
}

interface Lines {
  readonly starts: readonly number[];
  /** The depth before each line, counted from the first one. */
  readonly before: readonly number[];
  /** The lowest depth within each line. */
  readonly lowest: readonly number[];
  /** The next line whose lowest depth is lower. */
  readonly nextLower: readonly number[];
}

function countLines(text: string): Lines {
  const starts: number[] = [];
  const before: number[] = [];
  const lowest: number[] = [];
  let depth = 0;
  for (let start = 0; start <= text.length;) {
    const line = passLine(text, start, Number.POSITIVE_INFINITY);
    starts.push(start);
    before.push(depth);
    lowest.push(depth + line.lowest);
    depth += line.change;
    start = line.end + 1;
  }
  const nextLower: number[] = [];
  const stack: number[] = [];
  for (let line = starts.length - 1; line >= 0; line -= 1) {
    while (stack.length > 0 && (lowest[stack.at(-1) ?? 0] ?? 0) >= (lowest[line] ?? 0)) stack.pop();
    nextLower[line] = stack.at(-1) ?? starts.length;
    stack.push(line);
  }
  return { starts, before, lowest, nextLower };
}

interface Passed {
  /** The position of the line's end. */
  readonly end: number;
  /** The position after the bracket that brought the depth to 0. */
  readonly closedAt?: number;
  readonly change: number;
  /** The lowest depth change within the line. */
  readonly lowest: number;
}

/** Scans from a position with `open` brackets to the end of the line, or to the bracket that closes the last one. */
function passLine(text: string, from: number, open: number): Passed {
  // Brackets in quotes do not count.
  const sign = /\\{0,15}["'`]|[{}[\]\n]/g;
  sign.lastIndex = from;
  let change = 0;
  let lowest = 0;
  for (let match = sign.exec(text); match !== null; match = sign.exec(text)) {
    const [found] = match;
    if (found === '\n') return { end: match.index, change, lowest };
    if (found === '{' || found === '[') change += 1;
    else if (found === '}' || found === ']') {
      change -= 1;
      lowest = Math.min(lowest, change);
      if (open + change <= 0) return { end: sign.lastIndex, closedAt: sign.lastIndex, change, lowest };
    } else sign.lastIndex = behindQuoted(text, match.index);
  }
  return { end: text.length, change, lowest };
}

/** Returns the index of the line that starts at a position. */
function lineAt(starts: readonly number[], place: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
