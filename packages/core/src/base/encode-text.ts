import { freezeParsed } from './json/frozen-json.ts';

/** Encodes a string so that every database can store it: as in JSON, without the quotes. */
export function encodeText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Returns the string that `encodeText` encoded. @throws `SyntaxError` */
export function decodeText(encoded: string): string {
  return JSON.parse(`"${encoded}"`) as string;
}

/** Parses JSON and returns the frozen value. @throws `SyntaxError`, or `VALUE_NOT_JSON` if it is nested too deeply */
export function parseFrozen(text: string): unknown {
  return freezeParsed(JSON.parse(text), 'a stored value');
}
