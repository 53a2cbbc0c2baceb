import { characterNumber, replaceHidden, visible } from '@shallot/core/plugin';

/** `visible` for text that was made visible before, by the plugin that asks: its numbers stay. */
export function stillVisible(text: string): string {
  return replaceHidden(text, characterNumber);
}

/** `visible` for the text of JSON, which stays what it was: hidden characters become `\u` escapes. */
export function visibleJson(json: string): string {
  return replaceHidden(json, escapeUnits);
}

/** `visible` on one line: line feeds and tabs are replaced too. For ids and names. */
export function visibleLine(text: string): string {
  return visible(text).replace(/[\n\t]/g, characterNumber);
}

/** What steers a terminal, or hides in prose or turns it round. */
const steering = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Line feeds and tabs, and what emoji, Indic and Persian words are made with: joiners, the choice between text and picture. */
const plain = new Set(['\n', '\t', '\u200c', '\u200d', '\ufe0e', '\ufe0f']);

/**
 * `visible` for prose that is read, not decided about: joiners and any kind of space stay, so that emoji and scripts look as
 * they should.
 */
export function readable(text: string): string {
  return text.replace(steering, (character) =>
    plain.has(character) ? character : characterNumber(character),
  );
}

/** JSON escapes UTF-16 code units. */
function escapeUnits(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => String.raw`\u` + character.charCodeAt(index).toString(16).padStart(4, '0'),
  ).join('');
}
