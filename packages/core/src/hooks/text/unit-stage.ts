import type { TextStage } from './text-stage.ts';

/** The units of a text: words between white space, lines, or the text as a whole. */
export type TextUnit = 'word' | 'line' | 'text';

const unitEnds: Readonly<Record<TextUnit, RegExp | undefined>> = {
  word: /\s/,
  line: /\n/,
  text: undefined,
};

/** Calls a function for each unit of a text, and keeps the characters between units. */
export class UnitStage implements TextStage {
  readonly #change: (text: string) => string;
  readonly #unitEnd: RegExp | undefined;
  #held: string[] = [];

  constructor(change: (text: string) => string, unit: TextUnit) {
    this.#change = change;
    this.#unitEnd = unitEnds[unit];
  }

  push(text: string): string {
    let out = '';
    let rest = text;
    for (let end = this.#endIn(rest); end !== -1; end = this.#endIn(rest)) {
      // Only new text is searched for an end, so the time is proportional to the length.
      this.#held.push(rest.slice(0, end));
      out += this.end() + rest.charAt(end);
      rest = rest.slice(end + 1);
    }
    this.#held.push(rest);
    return out;
  }

  end(): string {
    const unit = this.#held.join('');
    this.#held = [];
    if (unit === '' || unit === '\r') return unit;
    return unit.endsWith('\r') ? `${this.#change(unit.slice(0, -1))}\r` : this.#change(unit);
  }

  #endIn(text: string): number {
    return this.#unitEnd === undefined ? -1 : text.search(this.#unitEnd);
  }
}
