/** Characters that are invisible or misleading: controls, bidirectional marks, unusual spaces. */
const hidden = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}]/gu;

/** The bracket of text that imitates the number of a character. */
const lookalike = /⟨(?=U\+[0-9A-Fa-f]+⟩)/g;

/**
 * Replaces hidden and bidirectional characters with their numbers: `⟨U+202E⟩`. Line feeds, tabs and spaces stay.
 * Brackets of text that imitates such a number are replaced, so that every number stands for a character.
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

/** Returns the number of a character: `⟨U+202E⟩`. */
export function characterNumber(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
