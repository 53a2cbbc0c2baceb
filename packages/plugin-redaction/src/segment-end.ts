/** White space, line breaks, and letters of languages without spaces. */
const separators = /[\s\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+/g;
const separator = /[\s\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/;

/** The maximum length of a segment, in characters. */
export const maxSegment = 8192;
/** The maximum distance from the start of an IBAN to its last group. */
const maxIban = 44;
/**
 * A segment that an open secret extends is checked this often; after that, only at line breaks, and once it has grown
 * by the factor below.
 */
const maxLooks = 4;
const growth = 1.5;

const ibanHead = /(?:^|[^A-Za-z\d_])[A-Za-z]{2}\d{2}(?:-?[A-Za-z\d]{1,4}){0,8}$/;

/**
 * Finds positions at which a text can be cut without cutting a match, given only the text before the cut and the next
 * character.
 */
export class SegmentEnd {
  readonly #isOpen: (text: string) => boolean;
  #from = 0;
  #looks = 0;
  #lastLook = 0;
  #ibanAt: number | undefined;

  constructor(isOpen: (text: string) => boolean) {
    this.#isOpen = isOpen;
  }

  /** Returns the end of the first segment; undefined while it is unknown. Between calls, text may only be appended. */
  find(text: string): number | undefined {
    separators.lastIndex = this.#from;
    for (let match = separators.exec(text); match !== null; match = separators.exec(text)) {
      const word = this.#from;
      const end = separators.lastIndex;
      if (end === text.length || end > maxSegment) return undefined;
      this.#from = end;
      if (!this.#goesOn(text, { word, gap: match.index, end })) {
        this.reset();
        return end;
      }
      separators.lastIndex = end;
    }
    return undefined;
  }

  reset(): void {
    this.#from = 0;
    this.#looks = 0;
    this.#ibanAt = undefined;
  }

  #goesOn(text: string, { word, gap, end }: { word: number; gap: number; end: number }): boolean {
    const before = text.charCodeAt(gap - 1);
    const behind = text.charCodeAt(end);
    if (end - gap === 1 && isOfNumber(before) && isOfNumber(behind)) return true;
    if (end - gap === 1 && this.#isIban(text, { word, gap, behind })) return true;
    return this.#isSecret(text, gap, end);
  }

  #isIban(text: string, { word, gap, behind }: { word: number; gap: number; behind: number }): boolean {
    this.#ibanAt ??= ibanHead.test(text.slice(Math.max(word, gap - maxIban), gap)) ? gap : undefined;
    if (this.#ibanAt === undefined) return false;
    return gap - this.#ibanAt < maxIban && isAlphanumeric(behind);
  }

  #isSecret(text: string, gap: number, end: number): boolean {
    const isRare = this.#looks >= maxLooks;
    if (isRare && (end < growth * this.#lastLook || !text.slice(gap, end).includes('\n'))) return true;
    if (!this.#isOpen(text.slice(0, end))) return false;
    this.#looks += 1;
    this.#lastLook = end;
    return true;
  }
}

export function isSeparator(character: string): boolean {
  return separator.test(character);
}

function isOfNumber(code: number): boolean {
  // ( ) + - / and digits. A full stop is excluded, since a sentence may start after it.
  return (
    (code >= 48 && code <= 57) || (code >= 40 && code <= 43 && code !== 42) || code === 45 || code === 47
  );
}

function isAlphanumeric(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}
