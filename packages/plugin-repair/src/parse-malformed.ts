import type { JsonValue } from '@shallot/core';
import { parseArguments } from '@shallot/core/model';
import { isJsonObject } from '@shallot/core/plugin';
import { jsonrepair } from 'jsonrepair';

/** The longest text that is repaired, because a repair scans the text many times. */
const maxCharacters = 200_000;
const closedAtEnd = /[}\])];?\s*(?:```)?\s*$/;

/**
 * Returns the object meant by malformed JSON; undefined if there is none, or if the text is very long or may be cut off.
 */
export function parseMalformed(text: string): JsonValue | undefined {
  if (text.length > maxCharacters || mayBeCutOff(text)) return undefined;
  try {
    const value = parseArguments(jsonrepair(text));
    // Arguments must be an object; lists and quoted text are not repaired.
    return value !== undefined && isJsonObject(value) ? value : undefined;
  } catch {
    // The text cannot be repaired; the core reports it to the model.
    return undefined;
  }
}

/**
 * Returns whether a text may be cut off. A repair would close its brackets and make a whole call of half of one,
 * which could write half a file.
 */
function mayBeCutOff(text: string): boolean {
  const count = (character: string): number => text.split(character).length;
  return !closedAtEnd.test(text) || count('{') > count('}') || count('[') > count(']');
}
