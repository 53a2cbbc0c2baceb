/** What a reader does not see, or what makes them see something else: controls, bidirectional marks, odd spaces. */
const hidden = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}]/gu;

/** The bracket of text that only looks like the number of a character. */
const lookalike = /⟨(?=U\+[0-9A-Fa-f]+⟩)/g;

/**
 * Replaces hidden and bidirectional characters by their numbers: `⟨U+202E⟩`. Line feeds, tabs and spaces stay. Of text that
 * only looks like such a number the bracket is replaced, so that every number stands for a character.
 */
export function visible(text: string): string {
  return replaceHidden(text.replace(lookalike, characterNumber), characterNumber);
}

/** Replaces hidden and bidirectional characters by what is written for each. Line feeds, tabs and spaces stay. */
export function replaceHidden(text: string, write: (character: string) => string): string {
  return text.replace(hidden, (character) => (isPlain(character) ? character : write(character)));
}

function isPlain(character: string): boolean {
  return character === '\n' || character === '\t' || character === ' ';
}

/** A character as a reader sees it: `⟨U+202E⟩`. */
export function characterNumber(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
