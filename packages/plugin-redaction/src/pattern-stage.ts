import type { TextStage } from '@shallot/core/plugin';
import type { RE2JS } from 're2js';

export interface OwnPattern {
  readonly name: string;
  readonly pattern: RE2JS;
  /** The longest match, in characters. */
  readonly longest: number;
}

/**
 * Replaces the matches of a pattern. A match is at most `longest` characters long, so this many characters after a
 * position show if one begins there.
 */
export class PatternStage implements TextStage {
  readonly #own: OwnPattern;
  readonly #replace: (match: string) => string;
  /** The undecided text, after one decided character that word boundaries need. */
  #held = '';
  #before = '';

  constructor(own: OwnPattern, replace: (kind: string, match: string) => string) {
    this.#own = own;
    this.#replace = (match) => replace(own.name, match);
  }

  push(text: string): string {
    this.#held += text;
    return this.#advance(this.#held.length - this.#own.longest - 1);
  }

  end(): string {
    const out = this.#advance(this.#held.length);
    this.#held = '';
    this.#before = '';
    return out;
  }

  /** Decides on the positions before `until`. */
  #advance(until: number): string {
    const text = this.#before + this.#held;
    const offset = this.#before.length;
    const last = until + offset;
    let out = '';
    let at = offset;
    let from = at;
    while (at < last) {
      const start = this.#find(text, at, last);
      if (start === undefined) {
        at = Math.max(at, last);
        break;
      }
      const end = this.#endAt(text, start);
      if (end === undefined) {
        at = start + 1;
        continue;
      }
      out += text.slice(from, start) + this.#replace(text.slice(start, end));
      at = end;
      from = end;
    }
    if (at === offset) return '';
    out += text.slice(from, at);
    this.#before = text.slice(at - 1, at);
    this.#held = text.slice(at);
    return out;
  }

  /**
   * Returns the position of the next match before `last`; undefined if there is none. Searches in windows of bounded
   * length.
   */
  #find(text: string, from: number, last: number): number | undefined {
    const { pattern, longest } = this.#own;
    for (let at = from; at < last; at += longest) {
      const left = Math.max(0, at - 1);
      const matcher = pattern.matcher(text.slice(left, at + 2 * longest));
      if (!matcher.find(at - left)) continue;
      const start = left + matcher.start();
      if (start < Math.min(last, at + longest)) return start;
    }
    return undefined;
  }

  /**
   * Returns the end of a match that begins here, considering only `longest` characters and the one after them; undefined if
   * none begins here.
   */
  #endAt(text: string, start: number): number | undefined {
    const { pattern, longest } = this.#own;
    const left = Math.max(0, start - 1);
    const matcher = pattern.matcher(text.slice(left, start + longest + 1));
    if (!matcher.find(start - left) || left + matcher.start() !== start) return undefined;
    const end = Math.min(left + matcher.end(), start + longest);
    return end > start ? end : undefined;
  }
}
