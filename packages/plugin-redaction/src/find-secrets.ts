import type { Redactor } from '@shallot/core/plugin';

import type { Range } from './range.ts';

const censor = '[redacted]';
const quoteBefore = /\\{0,15}["']$/;
const quoteBehind = /^\\{0,15}["']/;

/** Finds the secrets that the core's redactor knows, by comparing the redacted text with the original. */
export function findSecrets(text: string, redactor: Redactor): Range[] {
  const left = redactor.text(text);
  if (left === text) return [];
  return between(text, left.split(censor)) ?? [whole(text, left)];
}

/**
 * Returns the ranges of the text that are missing between the remaining pieces; undefined if the text does not have these
 * pieces.
 */
function between(text: string, pieces: readonly string[]): Range[] | undefined {
  const found: Range[] = [];
  let at = 0;
  let quote = '';
  for (const [index, piece] of pieces.entries()) {
    // Quotes around a secret may be part of the text, or added by the redactor to keep JSON valid.
    const before = index === pieces.length - 1 ? undefined : quoteBefore.exec(piece)?.[0];
    const behind = index === 0 ? undefined : quoteBehind.exec(piece)?.[0];
    const start = behind === quote && behind.length < piece.length ? quote.length : 0;
    const core = piece.slice(start, piece.length - (before?.length ?? 0));
    const isLast = index === pieces.length - 1;
    const next = index === 0 ? 0 : isLast ? text.length - core.length : text.indexOf(core, at);
    if (next < at || !text.startsWith(core, next)) return undefined;
    if (index > 0) found.push(...withoutQuotes(text, { start: at, end: next, kind: 'secret' }, quote));
    at = next + core.length;
    quote = before ?? '';
  }
  return found;
}

/** Excludes quotes of the text from the range; if the redactor added quotes, the replacement gets them. */
function withoutQuotes(text: string, range: Range, quote: string): Range[] {
  const { start, end } = range;
  if (start === end) return [];
  if (quote === '') return [range];
  const isQuoted = text.startsWith(quote, start) && text.slice(start + quote.length, end).endsWith(quote);
  return isQuoted
    ? [{ ...range, start: start + quote.length, end: end - quote.length }]
    : [{ ...range, quote }];
}

/** Returns the range from the first difference to the last. */
function whole(text: string, left: string): Range {
  const most = Math.min(text.length, left.length);
  let start = 0;
  while (start < most && text[start] === left[start]) start += 1;
  let tail = 0;
  while (tail < most - start && text[text.length - 1 - tail] === left[left.length - 1 - tail]) tail += 1;
  return { start, end: text.length - tail, kind: 'secret' };
}
