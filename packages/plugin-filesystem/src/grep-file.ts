import type { Files } from '@shallot/core/files';

import type { LinePattern } from './line-pattern.ts';
import type { Page } from './page.ts';
import { showPath } from './path.ts';
import { scanLines, type Line } from './scan-lines.ts';
import type { Slices } from './slices.ts';
import { whyNotText, withoutBom } from './text-to-change.ts';

export interface GrepParts {
  readonly pattern: LinePattern;
  /** How many lines are shown before and after a match. */
  readonly context: number;
  readonly page: Page;
  readonly slices: Slices;
}

export interface GrepResult {
  readonly isBinary: boolean;
  /** Lines of which only the beginning was searched. */
  readonly longLines: number;
  /** True if there was a match that there was no room for. */
  readonly isMore: boolean;
  readonly matches: number;
}

/** So much of a line is shown. */
const maxShown = 300;

/** Searches the lines of one file, and shows those that match. */
export async function grepFile(files: Files, path: string, parts: GrepParts): Promise<GrepResult> {
  const { pattern, slices } = parts;
  const search = new FileSearch(path, parts);
  let isBinary = false;
  await scanLines(files, path, {
    keepBytes: Math.max(pattern.maxBytes, maxShown * 4),
    slices,
    line: (line) => search.take(line),
    beginning(bytes) {
      isBinary = whyNotText(bytes) !== undefined;
      return !isBinary;
    },
  });
  const { longLines, isMore, matches } = search;
  return { isBinary, longLines, isMore, matches };
}

class FileSearch {
  longLines = 0;
  isMore = false;
  matches = 0;
  readonly #path: string;
  readonly #parts: GrepParts;
  /** The lines before this one that were not shown. */
  #before: string[] = [];
  /** How many lines after a match are still to be shown. */
  #after = 0;
  #lastShown = 0;

  constructor(path: string, parts: GrepParts) {
    this.#path = path;
    this.#parts = parts;
  }

  take(line: Line): boolean {
    const { pattern, page, slices, context } = this.#parts;
    const searched = line.bytes.subarray(0, pattern.maxBytes);
    if (searched.length < line.length) this.longLines += 1;
    slices.spend(searched.length * pattern.cost);
    const isMatch = pattern.isIn(searched);
    if (!isMatch) {
      if (this.#after > 0) this.#show(line, '-');
      else if (context > 0) this.#before = [...this.#before, toText(line, '-')].slice(-context);
      this.#after = Math.max(0, this.#after - 1);
      return !this.isMore;
    }
    if (page.isSkipping) {
      page.skip();
      this.#before = [];
      return true;
    }
    if (page.isFull) {
      this.isMore = true;
      return false;
    }
    this.matches += 1;
    if (this.#lastShown === 0) page.note(showPath(this.#path));
    else if (context > 0 && line.number - this.#before.length > this.#lastShown + 1) page.note('--');
    for (const text of this.#before) page.note(text);
    this.#before = [];
    this.#show(line, ':', true);
    this.#after = context;
    return true;
  }

  #show(line: Line, mark: string, isResult = false): void {
    const text = toText(line, mark);
    if (isResult) this.#parts.page.add(text);
    else this.#parts.page.note(text);
    this.#lastShown = line.number;
  }
}

/** A line with its number, cut when it is long. */
function toText({ number, bytes, length }: Line, mark: string): string {
  const kept = (number === 1 ? withoutBom(bytes) : bytes).subarray(0, maxShown * 4).toString('utf8');
  const text = kept.replace(/\r$/, '').slice(0, maxShown).toWellFormed();
  const rest = length > Buffer.byteLength(text) + 1 ? '…' : '';
  return `${number}${mark} ${text}${rest}`;
}
