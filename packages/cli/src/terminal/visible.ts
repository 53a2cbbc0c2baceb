import { characterNumber } from '@shallot/core/command';
import { replaceHidden, visible } from '@shallot/core/plugin';

/** Applies `visible` to text that a plugin has already made visible: the character numbers that it inserted stay. */
export function stillVisible(text: string): string {
  return replaceHidden(text, characterNumber);
}

/** Applies `visible` to JSON text, which stays valid, because hidden characters become `\u` escapes. */
export function visibleJson(json: string): string {
  return replaceHidden(json, escapeUnits);
}

/** Applies `visible`, and replaces line feeds and tabs, too. For ids and names. */
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
 * Applies `visible` to prose on which no security decision depends: joiners and all spaces stay, so that emoji and
 * scripts are displayed correctly.
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
