import type { Redactor, TextStage } from '@shallot/core/plugin';

import type { Detector } from './detectors.ts';
import { findSecrets } from './find-secrets.ts';
import { mergeRanges, type Range } from './range.ts';
import { isSeparator, maxSegment, SegmentEnd } from './segment-end.ts';

/** The length of the text before a segment that its detectors see. */
const contextLength = 48;
/** The length of the end of an overlong segment that stays undecided, because a match may begin there. */
const undecided = 512;

/** Text without one of these contains no match of the detectors. */
export const anySign = /[\d@:]|www\./i;

export interface SegmentSearch {
  readonly detectors: readonly Detector[];
  /** Finds secrets; undefined if secrets are not redacted. */
  readonly redactor: Redactor | undefined;
  /** False if the whole text is known to contain no secret. */
  readonly hasSecrets: boolean;
  /** Returns the replacement of a match. */
  readonly replace: (kind: string, match: string) => string;
}

/** Redacts a text segment by segment. */
export class SegmentStage implements TextStage {
  readonly #search: SegmentSearch;
  readonly #ending: SegmentEnd;
  #held = '';
  #context = '';
  /** Returns true at the end of an overlong match, whose rest is skipped. */
  #skipTo: ((character: string) => boolean) | undefined;

  constructor(search: SegmentSearch) {
    this.#search = search;
    this.#ending = new SegmentEnd((text) => search.redactor?.isOpen(text) ?? false);
  }

  push(text: string): string {
    let out = '';
    // Takes the text in slices, so that the held text and the searches in it stay short.
    for (let at = 0; at < text.length; at += maxSegment) out += this.#take(text.slice(at, at + maxSegment));
    return out;
  }

  end(): string {
    const out = this.#replaceUpTo(this.#held.length);
    this.#ending.reset();
    this.#context = '';
    this.#skipTo = undefined;
    return out;
  }

  #take(text: string): string {
    this.#held += this.#skipTo === undefined ? text : this.#skip(text, this.#skipTo);
    let out = '';
    for (;;) {
      const end = this.#ending.find(this.#held);
      if (end !== undefined) out += this.#replaceUpTo(end);
      else if (this.#held.length > maxSegment) out += this.#force();
      else return out;
    }
  }

  #replaceUpTo(end: number): string {
    const segment = this.#held.slice(0, end);
    const out = replaced(segment, this.#ranges(segment), this.#search.replace);
    this.#drop(end);
    return out;
  }

  /** Ends an overlong segment. A match that extends beyond it is redacted from its start on. */
  #force(): string {
    const segment = this.#held.slice(0, maxSegment);
    const ranges = this.#ranges(segment);
    const isOpen = this.#search.redactor?.isOpen(segment) ?? false;
    const cut = maxSegment - undecided;
    const last = ranges.find(({ start, end }) => start < cut && end > cut);
    const isTooLong = isOpen || (last?.start === 0 && last.end === maxSegment);
    const end = isTooLong ? maxSegment : last === undefined ? cut : last.start === 0 ? last.end : last.start;
    this.#ending.reset();
    const out = replaced(
      segment.slice(0, end),
      ranges.filter((range) => range.end <= end),
      this.#search.replace,
    );
    this.#drop(end);
    if (isTooLong) {
      this.#skipTo = isOpen ? (character) => character === '\n' : isSeparator;
      this.#held = this.#skip(this.#held, this.#skipTo);
    }
    return out;
  }

  #skip(text: string, isEnd: (character: string) => boolean): string {
    for (let at = 0; at < text.length; at += 1) {
      if (!isEnd(text.charAt(at))) continue;
      this.#skipTo = undefined;
      return text.slice(at);
    }
    return '';
  }

  #drop(end: number): void {
    this.#context = (this.#context + this.#held.slice(Math.max(0, end - contextLength), end)).slice(
      -contextLength,
    );
    this.#held = this.#held.slice(end);
  }

  #ranges(segment: string): Range[] {
    const { detectors, redactor, hasSecrets } = this.#search;
    const found = redactor === undefined || !hasSecrets ? [] : findSecrets(segment, redactor);
    // A fast check, because most segments cannot contain other matches.
    if (!anySign.test(segment)) return found.length < 2 ? found : mergeRanges(found);
    let text: string | undefined;
    for (const { kind, sign, find } of detectors) {
      if (!sign.test(segment)) continue;
      text ??= this.#context + segment;
      const from = this.#context.length;
      for (const { start, end } of find(text, from))
        found.push({ start: start - from, end: end - from, kind });
    }
    return found.length < 2 ? found : mergeRanges(found);
  }
}

/** Replaces the ranges in a text. */
export function replaced(
  text: string,
  ranges: readonly Range[],
  replace: (kind: string, match: string) => string,
): string {
  if (ranges.length === 0) return text;
  let out = '';
  let from = 0;
  for (const { start, end, kind, quote = '' } of ranges) {
    out += text.slice(from, start) + quote + replace(kind, text.slice(start, end)) + quote;
    from = end;
  }
  return out + text.slice(from);
}
