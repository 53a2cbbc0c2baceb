import { messageOf } from '../base/thrown.ts';
import { loosePassage, type Passage } from './loose-passage.ts';
import { nearestLines } from './nearest-lines.ts';

/** A text with replaced passages. */
export interface ReplacedText {
  readonly text: string;
  /** The number of replaced passages. */
  readonly count: number;
  /** True if a replaced passage differed from its edit in white space at the ends of lines, in line endings or in quotes. */
  readonly isLoose?: true;
}

/**
 * Returns the text for rewriting a file: if all lines of the file end in CRLF, the lines of the content do, too. Its
 * author may have seen the lines without their endings.
 */
export function rewriteText(before: string | undefined, content: string): string {
  return before !== undefined && hasCrlfOnly(before) ? toCrlf(content) : content;
}

/** A replacement of a passage. */
export interface TextEdit {
  readonly old: string;
  readonly replacement: string;
  /** True to replace each occurrence. Default: false. */
  readonly all?: boolean;
}

/** A place in a text, and its replacement. */
interface Place extends Passage {
  readonly replacement: string;
  /** The index of its edit. */
  readonly index: number;
  readonly isLoose?: true;
}

/**
 * Replaces a text that occurs exactly once, or with `all` each occurrence. Several edits are made all or not at all, each
 * in the original text. In a file whose lines all end in CRLF, line feeds of both texts stand for CRLF. If a text does
 * not occur, but exactly one passage differs from it only in white space at the ends of lines, in line endings and in
 * quotes, that passage is replaced.
 * @throws an `Error` with advice, if a text does not occur (with the most similar lines) or occurs more than once, or if
 * two edits overlap
 */
export function replaceInText(before: string, edits: TextEdit | readonly TextEdit[]): ReplacedText {
  const list = isList(edits) ? edits : [edits];
  const places = list.flatMap((edit, index) => {
    try {
      return placesOf(before, edit, index);
    } catch (error) {
      if (list.length === 1) throw error;
      throw new Error(`edit ${index + 1} of ${list.length}: ${messageOf(error)}`, { cause: error });
    }
  });
  const parts: string[] = [];
  let [end, last] = [0, 0];
  for (const { from, to, replacement, index } of places.toSorted((a, b) => a.from - b.from)) {
    if (from < end)
      throw new Error(
        `the edits ${last + 1} and ${index + 1} change the same passage; make one edit of them`,
      );
    parts.push(before.slice(end, from), replacement);
    [end, last] = [to, index];
  }
  const text = [...parts, before.slice(end)].join('');
  const isLoose = places.some((place) => place.isLoose === true);
  return { text, count: places.length, ...(isLoose ? { isLoose } : {}) };
}

function isList(edits: TextEdit | readonly TextEdit[]): edits is readonly TextEdit[] {
  return Array.isArray(edits);
}

/** Returns the places of one edit. */
function placesOf(
  before: string,
  { old, replacement, all = false }: TextEdit,
  index: number,
): readonly Place[] {
  if (old === '') throw new Error('the text to replace is empty; name the lines that change');
  const [wanted, by] = hasCrlfOnly(before) ? [toCrlf(old), toCrlf(replacement)] : [old, replacement];
  const found = occurrences(before, wanted);
  if (found.length === 0) return [{ ...loosePlace(before, old, replacement), index }];
  if (found.length > 1 && !all)
    throw new Error(`the text to replace occurs ${found.length} times in the file`);
  return found.map((at) => ({ from: at, to: at + wanted.length, replacement: by, index }));
}

function loosePlace(before: string, old: string, replacement: string): Omit<Place, 'index'> {
  const passage = loosePassage(before, old);
  if (passage === undefined) {
    const nearest = nearestLines(before, old);
    const shown = nearest === undefined ? '' : `; the lines most like it are\n${nearest}`;
    throw new Error(`the text to replace is not in the file${shown}`);
  }
  const isCrlf = hasCrlfOnly(before.slice(passage.from, passage.to)) || hasCrlfOnly(before);
  return { ...passage, replacement: isCrlf ? toCrlf(replacement) : replacement, isLoose: true };
}

function hasCrlfOnly(text: string): boolean {
  return text.includes('\r\n') && !/(?:^|[^\r])\n/.test(text);
}

function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

/** Up to this length the built-in search is fast for any text. */
const shortLength = 64;

/** Returns the positions of a text, without overlaps, in linear time. */
function occurrences(text: string, wanted: string): number[] {
  const head = wanted.slice(0, shortLength);
  const found: number[] = [];
  let compared = 0;
  for (let at = text.indexOf(head); at !== -1;) {
    const isFound = text.startsWith(wanted, at);
    if (isFound) found.push(at);
    else compared += wanted.length;
    // The start of the text occurs so often that comparing the rest each time would be slow.
    if (compared > text.length) return occurrencesByBorders(text, wanted);
    at = text.indexOf(head, at + (isFound ? wanted.length : 1));
  }
  return found;
}

/** Returns the same as `occurrences`, by the Knuth-Morris-Pratt algorithm. */
function occurrencesByBorders(text: string, wanted: string): number[] {
  const borders = bordersOf(wanted);
  const found: number[] = [];
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    while (matched > 0 && character !== wanted.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (character === wanted.charCodeAt(matched)) matched += 1;
    if (matched < wanted.length) continue;
    found.push(at + 1 - wanted.length);
    matched = 0;
  }
  return found;
}

/** Returns for each prefix of a text the length of its longest proper prefix that is also a suffix. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at += 1) {
    while (length > 0 && text.charCodeAt(at) !== text.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (text.charCodeAt(at) === text.charCodeAt(length)) length += 1;
    borders[at] = length;
  }
  return borders;
}
