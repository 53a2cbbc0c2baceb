import { loosePassage } from './loose-passage.ts';
import { nearestLines } from './nearest-lines.ts';

/** A text with replaced passages. */
export interface ReplacedText {
  readonly text: string;
  /** The number of replaced passages. */
  readonly count: number;
  /** True if the passage differed in white space at the ends of lines, in line ends or in quotes. */
  readonly isLoose?: true;
}

/**
 * The new text of a file that is written anew: in a file whose lines all end in CRLF, those of the content do, too. Who
 * writes it has perhaps been shown lines without their ends.
 */
export function rewriteText(before: string | undefined, content: string): string {
  return before !== undefined && hasCrlfOnly(before) ? toCrlf(content) : content;
}

/**
 * Replaces a text that occurs exactly once, or with `all` each time. In a file whose lines all end in CRLF, line feeds of both
 * texts stand for that. A text that does not occur replaces the one passage that differs from it only in white space at the
 * ends of lines, in line ends and in quotes, if there is one.
 * @throws an `Error` that says what to do, if it occurs not at all, with the lines most like it, or more often than once
 */
export function replaceInText(
  before: string,
  {
    old,
    replacement,
    all = false,
  }: { readonly old: string; readonly replacement: string; readonly all?: boolean },
): ReplacedText {
  if (old === '') throw new Error('the text to replace is empty; name the lines that change');
  const [from, to] = hasCrlfOnly(before) ? [toCrlf(old), toCrlf(replacement)] : [old, replacement];
  const found = occurrences(before, from);
  if (found.length === 0) return replaceLoosely(before, old, replacement);
  if (found.length > 1 && !all)
    throw new Error(`the text to replace occurs ${found.length} times in the file`);
  const parts: string[] = [];
  let end = 0;
  for (const at of found) {
    parts.push(before.slice(end, at), to);
    end = at + from.length;
  }
  return { text: [...parts, before.slice(end)].join(''), count: found.length };
}

function replaceLoosely(before: string, old: string, replacement: string): ReplacedText {
  const place = loosePassage(before, old);
  if (place === undefined) {
    const nearest = nearestLines(before, old);
    const shown = nearest === undefined ? '' : `; the lines most like it are\n${nearest}`;
    throw new Error(`the text to replace is not in the file${shown}`);
  }
  const { from, to } = place;
  const isCrlf = hasCrlfOnly(before.slice(from, to)) || hasCrlfOnly(before);
  const text = [before.slice(0, from), isCrlf ? toCrlf(replacement) : replacement, before.slice(to)].join('');
  return { text, count: 1, isLoose: true };
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

/** Returns the same by the Knuth-Morris-Pratt algorithm. */
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
