import type { JsonValue } from '@shallot/core';
import { jsonrepair } from 'jsonrepair';

/** Longer texts are left alone: a repair reads a text many times. */
const maxCharacters = 200_000;
const closedAtEnd = /[}\])];?\s*(?:```)?\s*$/;

/** The object that a text stands for which is almost JSON; undefined when there is none, or the text may be cut off. */
export function parseMalformed(text: string): JsonValue | undefined {
  if (text.length > maxCharacters || mayBeCutOff(text)) return undefined;
  try {
    const value = JSON.parse(jsonrepair(text)) as JsonValue;
    // A list of arguments, or plain text in quotes, is not what the model was asked for.
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    // Nothing can be made of it: the core tells the model so.
    return undefined;
  }
}

/** A repair would close what is open, and so make a whole call of half of one: half a file would be written. */
function mayBeCutOff(text: string): boolean {
  const count = (character: string): number => text.split(character).length;
  return !closedAtEnd.test(text) || count('{') > count('}') || count('[') > count(']');
}
