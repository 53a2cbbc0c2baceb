import type { TextStage } from '@shallot/core/plugin';

import type { TextRedaction } from './text-redaction.ts';

/** Stands for a match in the texts that are compared: a private-use character, which is removed from the input. */
const mark = '\uE000';
/**
 * The most characters of waiting text, which is searched again with each piece. Beyond it, the text is released
 * without waiting.
 */
const maxWaiting = 65_536;

/** Redacts a text that arrives in pieces, and returns it in the same pieces. */
export class ProgressText {
  readonly #redaction: TextRedaction;
  readonly #stage: TextStage;
  readonly #matches: { readonly kind: string; readonly match: string }[] = [];
  /** The text of the waiting pieces, and the end of each piece in it. */
  #raw = '';
  #ends: number[] = [];
  /** The decided text with marks, and the length that was released. */
  #out = '';
  #sent = 0;

  constructor(redaction: TextRedaction) {
    this.#redaction = redaction;
    this.#stage = redaction.stage((kind, match) => {
      this.#matches.push({ kind, match });
      return mark;
    });
  }

  /** Adds a piece. Returns the texts of the pieces that are decided. */
  push(piece: string): string[] {
    const text = piece.replaceAll(mark, '\uFFFD');
    this.#raw += text;
    this.#ends.push(this.#raw.length);
    this.#out += this.#stage.push(text);
    return this.#raw.length > maxWaiting ? this.end() : this.#decided();
  }

  /** Returns the texts of all waiting pieces. */
  end(): string[] {
    this.#out += this.#stage.end();
    const texts = this.#ends.map((_, index) =>
      index === this.#ends.length - 1 ? this.#send(this.#out.length) : this.#send(this.#endIn(index)),
    );
    this.#raw = '';
    this.#ends = [];
    this.#out = '';
    this.#sent = 0;
    return texts;
  }

  #decided(): string[] {
    const texts: string[] = [];
    for (let end = this.#ends[0]; end !== undefined; end = this.#ends[0]) {
      const alone = this.#alone(end);
      const isExact = this.#out.startsWith(alone);
      // A piece is undecided while the output is a prefix of its text. Text after a match belongs to the next piece.
      if (!isExact && (alone.startsWith(this.#out) || this.#ends.length === 1)) break;
      texts.push(this.#send(sharedLength(alone, this.#out)));
      this.#ends.shift();
      if (isExact) this.#forget(end, alone.length);
    }
    return texts;
  }

  #endIn(index: number): number {
    return sharedLength(this.#alone(this.#ends[index] ?? 0), this.#out);
  }

  /**
   * Returns the redacted text up to an index as if it ended there. A difference means that a match extends beyond it.
   */
  #alone(end: number): string {
    const stage = this.#redaction.stage(() => mark);
    return stage.push(this.#raw.slice(0, end)) + stage.end();
  }

  #send(until: number): string {
    const text = this.#out.slice(this.#sent, until);
    this.#sent = Math.max(this.#sent, until);
    return text.replaceAll(mark, () => {
      const found = this.#matches.shift();
      return found === undefined ? '' : this.#redaction.replace(found.kind, found.match);
    });
  }

  #forget(end: number, length: number): void {
    this.#raw = this.#raw.slice(end);
    this.#ends = this.#ends.map((each) => each - end);
    this.#out = this.#out.slice(length);
    this.#sent = Math.max(0, this.#sent - length);
  }
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
