import { characterNumber } from '@shallot/core/command';
import { replaceHidden, visible } from '@shallot/core/plugin';

/** `visible` for text that a plugin has already made visible: its numbers stay. */
export function stillVisible(text: string): string {
  return replaceHidden(text, characterNumber);
}

/** `visible` for JSON text, which stays valid: hidden characters become `\u` escapes. */
export function visibleJson(json: string): string {
  return replaceHidden(json, escapeUnits);
}

/** `visible` on one line: line feeds and tabs are replaced, too. For ids and names. */
export function visibleLine(text: string): string {
  return visible(text).replace(/[\n\t]/g, characterNumber);
}

/** Characters that control a terminal, or that hide or reverse text. */
const steering = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Line feeds and tabs, and characters needed in emoji and in Indic and Persian words: joiners and variation selectors.
 */
const plain = new Set(['\n', '\t', '\u200c', '\u200d', '\ufe0e', '\ufe0f']);

/**
 * `visible` for prose without a security decision: joiners and all spaces stay, so that emoji and scripts are displayed
 * correctly.
 */
export function readable(text: string): string {
  return text.replace(steering, (character) =>
    plain.has(character) ? character : characterNumber(character),
  );
}

/** Escapes UTF-16 code units, as in JSON. */
function escapeUnits(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => String.raw`\u` + character.charCodeAt(index).toString(16).padStart(4, '0'),
  ).join('');
}
