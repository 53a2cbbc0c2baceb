/** Characters that are invisible or misleading: controls, bidirectional marks, unusual spaces. */
const hidden = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}]/gu;

/** The opening bracket of text that looks like a replaced character, such as `⟨U+202E⟩`. */
const lookalike = /⟨(?=U\+[0-9A-Fa-f]+⟩)/g;

/**
 * Replaces hidden and bidirectional characters with their code points: `⟨U+202E⟩`. Line feeds, tabs and spaces stay. The
 * opening bracket of text that looks like a code point is replaced, too, so that nothing imitates a hidden character.
 */
export function visible(text: string): string {
  return replaceHidden(text.replace(lookalike, characterNumber), characterNumber);
}

/** Replaces hidden and bidirectional characters with the result of `write`. Line feeds, tabs and spaces stay. */
export function replaceHidden(text: string, write: (character: string) => string): string {
  return text.replace(hidden, (character) => (isPlain(character) ? character : write(character)));
}

function isPlain(character: string): boolean {
  return character === '\n' || character === '\t' || character === ' ';
}

/** Returns the code point of a character, such as `⟨U+202E⟩`. */
export function characterNumber(character: string): string {
  return `⟨U+${Number(character.codePointAt(0)).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
