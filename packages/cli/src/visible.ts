/** What a reader does not see, or what makes them see something else: controls, bidirectional marks, odd spaces. */
const hidden = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}]/gu;

/** The bracket of text that only looks like the number of a character. */
const lookalike = /⟨(?=U\+[0-9A-Fa-f]+⟩)/g;

/**
 * Replaces hidden and bidirectional characters by their numbers: `⟨U+202E⟩`. Line feeds, tabs and spaces stay. Of text that
 * only looks like such a number the bracket is replaced, so that every number stands for a character.
 */
export function visible(text: string): string {
  return stillVisible(text.replace(lookalike, `⟨U+${codeOf('⟨')}⟩`));
}

/** The same for text that was made visible before, by the plugin that asks: its numbers stay. */
export function stillVisible(text: string): string {
  return text.replace(hidden, (character) => (isPlain(character) ? character : `⟨U+${codeOf(character)}⟩`));
}

/** The same for the text of JSON, which stays what it was: hidden characters become `\u` escapes. */
export function visibleJson(json: string): string {
  return json.replace(hidden, (character) => (isPlain(character) ? character : escapeUnits(character)));
}

/** The same on one line: line feeds and tabs are replaced too. For ids and names. */
export function visibleLine(text: string): string {
  return visible(text).replace(/[\n\t]/g, (character) => `⟨U+${codeOf(character)}⟩`);
}

/** What steers a terminal, or hides in prose or turns it round. */
const steering = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** What emoji, Indic and Persian words are made with: the joiners, and the choice between text and picture. */
const joining = new Set(['\u200c', '\u200d', '\ufe0e', '\ufe0f']);

/**
 * `visible` for prose that is read, not decided about: joiners and any kind of space stay, so that emoji and scripts look as
 * they should.
 */
export function readable(text: string): string {
  return text.replace(steering, (character) =>
    isPlain(character) || joining.has(character) ? character : `⟨U+${codeOf(character)}⟩`,
  );
}

function isPlain(character: string): boolean {
  return character === '\n' || character === '\t' || character === ' ';
}

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

/** JSON escapes UTF-16 code units. */
function escapeUnits(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => String.raw`\u` + character.charCodeAt(index).toString(16).padStart(4, '0'),
  ).join('');
}
