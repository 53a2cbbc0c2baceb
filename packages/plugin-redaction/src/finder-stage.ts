import { ShallotError } from '@shallot/core';
import type { TextStage } from '@shallot/core/plugin';

import { mergeRanges, type Range } from './range.ts';
import { replaced } from './segment-stage.ts';

/** Returns the matches in a line as pairs: index of the first character, and index after the last. */
export type Find = (line: string) => readonly (readonly [start: number, end: number])[];

/** The longest line, in characters; longer lines are split. */
const maxLine = 8192;

/** Replaces the matches of a user's function. It is called line by line, because it may look at any part of a line. */
export class FinderStage implements TextStage {
  readonly #name: string;
  readonly #find: Find;
  readonly #replace: (kind: string, match: string) => string;
  #held = '';

  constructor(name: string, find: Find, replace: (kind: string, match: string) => string) {
    this.#name = name;
    this.#find = find;
    this.#replace = replace;
  }

  push(text: string): string {
    // Only new text is searched for the end of the line.
    let from = this.#held.length;
    this.#held += text;
    let out = '';
    for (;;) {
      const newline = this.#held.indexOf('\n', from);
      const end = newline === -1 ? this.#held.length : newline + 1;
      if (end > maxLine) out += this.#take(maxLine);
      else if (newline === -1) return out;
      else out += this.#take(end);
      from = 0;
    }
  }

  end(): string {
    return this.#held === '' ? '' : this.#take(this.#held.length);
  }

  #take(end: number): string {
    const line = this.#held.slice(0, end);
    this.#held = this.#held.slice(end);
    const found: unknown = this.#find(line);
    if (!Array.isArray(found)) throw this.#invalid(found);
    const ranges = found.map((pair: unknown): Range => {
      if (!isRange(pair, line)) throw this.#invalid(pair);
      return { start: pair[0], end: pair[1], kind: this.#name };
    });
    return replaced(line, mergeRanges(ranges), this.#replace);
  }

  #invalid(value: unknown): ShallotError {
    return new ShallotError('redaction/RANGES_INVALID', {
      message: `The function of the detector "${this.#name}" returned ${JSON.stringify(value) ?? String(value)}. Return a list of [start, end] pairs inside the line, each start before its end.`,
      plugin: 'redaction',
    });
  }
}

function isRange(pair: unknown, line: string): pair is readonly [number, number] {
  return Array.isArray(pair) && pair.length === 2 && pair.every(Number.isInteger) && isWithin(pair, line);
}

function isWithin([start, end]: readonly unknown[], line: string): boolean {
  return Number(start) >= 0 && Number(start) < Number(end) && Number(end) <= line.length;
}
