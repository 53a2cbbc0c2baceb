import type { Files } from '@shallot/core/files';

import type { LinePattern } from './line-pattern.ts';
import type { Page } from './page.ts';
import type { ShowPath } from './path.ts';
import { linesOf, scanLines, type Line, type ScanOptions } from './scan-lines.ts';
import type { Slices } from './slices.ts';
import { whyNotText, withoutBom } from './text-to-change.ts';

/** The forms of a result. */
export const grepOutputs = ['lines', 'files', 'counts'] as const;
export type GrepOutput = (typeof grepOutputs)[number];

export interface GrepParts {
  readonly pattern: LinePattern;
  /** The content of the result: matching lines, the names of files with matches, or the number of matches in each. */
  readonly output: GrepOutput;
  /** The number of lines shown before a match. */
  readonly before: number;
  /** The number of lines shown after a match. */
  readonly after: number;
  readonly page: Page;
  readonly show: ShowPath;
  readonly slices: Slices;
}

export interface GrepResult {
  readonly isBinary: boolean;
  /** Lines of which only the beginning was searched. */
  readonly longLines: number;
  /** True if there was a match that did not fit on the page. */
  readonly isMore: boolean;
  readonly matches: number;
}

/** The most characters of a line that are shown. */
const maxShown = 300;

const nothing: GrepResult = Object.freeze({ isBinary: false, longLines: 0, isMore: false, matches: 0 });

/** Searches the lines of one file, and shows those that match. */
export async function grepFile(files: Files, path: string, parts: GrepParts): Promise<GrepResult> {
  const search = new FileSearch(path, parts);
  let isBinary = false;
  await scanLines(files, path, {
    ...scanOf(search, parts),
    beginning(bytes) {
      isBinary = whyNotText(bytes) !== undefined;
      return !isBinary;
    },
  });
  return { ...search.result(), isBinary };
}

/** Searches a file that was read whole. */
export function grepContent(bytes: Buffer, path: string, parts: GrepParts): GrepResult {
  if (whyNotText(bytes) !== undefined) return { ...nothing, isBinary: true };
  parts.slices.spend(bytes.length);
  if (bytes.length <= parts.pattern.maxBytes && !parts.pattern.mayBeIn(withoutBom(bytes))) return nothing;
  const search = new FileSearch(path, parts);
  linesOf(bytes, scanOf(search, parts));
  return search.result();
}

function scanOf(
  search: FileSearch,
  { pattern, slices }: GrepParts,
): Pick<ScanOptions, 'keepBytes' | 'slices' | 'line'> {
  return {
    keepBytes: Math.max(pattern.maxBytes, maxShown * 4),
    slices,
    line: (line) => search.take(withoutMark(line)),
  };
}

/** Returns a line without the byte order mark of its file, which is no part of the text. */
function withoutMark(line: Line): Line {
  const bytes = line.number === 1 ? withoutBom(line.bytes) : line.bytes;
  return { ...line, bytes, length: line.length - (line.bytes.length - bytes.length) };
}

class FileSearch {
  #longLines = 0;
  #isMore = false;
  #matches = 0;
  readonly #path: string;
  readonly #parts: GrepParts;
  /** The lines before this one that were not shown. */
  #before: string[] = [];
  /** The number of lines after a match that are still to be shown. */
  #after = 0;
  #lastShown = 0;

  constructor(path: string, parts: GrepParts) {
    this.#path = path;
    this.#parts = parts;
  }

  /** Returns the result. Unless lines are shown, adds a file with matches to the page, if there is room. */
  result(): GrepResult {
    const { output, page, show } = this.#parts;
    if (output !== 'lines' && this.#matches > 0) {
      const path = show(this.#path);
      if (page.isSkipping) page.skip();
      else if (page.isFull) this.#isMore = true;
      else page.add(output === 'files' ? path : `${path}: ${this.#matches}`);
    }
    return { isBinary: false, longLines: this.#longLines, isMore: this.#isMore, matches: this.#matches };
  }

  /** Searches a line. Returns false if no further line is wanted. */
  take(line: Line): boolean {
    const { pattern, page, slices, output, before, after, show } = this.#parts;
    const searched = line.bytes.subarray(0, pattern.maxBytes);
    if (searched.length < line.length) this.#longLines += 1;
    slices.spend(searched.length * pattern.cost);
    const isMatch = pattern.isIn(searched);
    if (output !== 'lines') {
      this.#matches += Number(isMatch);
      return output === 'counts' || !isMatch;
    }
    if (!isMatch) {
      if (this.#after > 0) this.#show(line, '-');
      else if (before > 0) this.#before = [...this.#before, toText(line, '-')].slice(-before);
      this.#after = Math.max(0, this.#after - 1);
      return !this.#isMore;
    }
    if (page.isSkipping) {
      page.skip();
      this.#before = [];
      return true;
    }
    if (page.isFull) {
      this.#isMore = true;
      return false;
    }
    this.#matches += 1;
    if (this.#lastShown === 0) page.note(show(this.#path));
    else if (before + after > 0 && line.number - this.#before.length > this.#lastShown + 1) page.note('--');
    for (const text of this.#before) page.note(text);
    this.#before = [];
    this.#show(line, ':', true);
    this.#after = after;
    return true;
  }

  #show(line: Line, mark: string, isResult = false): void {
    const text = toText(line, mark);
    if (isResult) this.#parts.page.add(text);
    else this.#parts.page.note(text);
    this.#lastShown = line.number;
  }
}

/** Returns a line with its number, shortened if it is long. */
function toText({ number, bytes, length }: Line, mark: string): string {
  const kept = bytes.subarray(0, maxShown * 4).toString('utf8');
  const text = kept.replace(/\r$/, '').slice(0, maxShown).toWellFormed();
  const rest = length > Buffer.byteLength(text) + 1 ? '…' : '';
  return `${number}${mark} ${text}${rest}`;
}
