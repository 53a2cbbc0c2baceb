/** What a reader does not see, or what makes them see something else: controls, bidirectional marks, odd spaces. */
const hidden =
  /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}]|⟨(?=U\+[0-9A-Fa-f]+⟩)/gu;

/**
 * Replaces hidden and bidirectional characters by their numbers: `⟨U+202E⟩`. Line feeds, tabs and spaces stay. Of text that
 * only looks like such a number the bracket is replaced, so that every number stands for a character.
 */
export function visible(text: string): string {
  return text.replace(hidden, (character) => {
    if (character === '\n' || character === '\t' || character === ' ') return character;
    const code = character.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}
