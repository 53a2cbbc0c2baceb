import { freezeJson } from './json.ts';

/** A string as databases can hold it, whatever is in it: as in JSON, without the quotes. */
export function encodeText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** What `encodeText` was given. @throws `SyntaxError` */
export function decodeText(encoded: string): string {
  return JSON.parse(`"${encoded}"`) as string;
}

/** The frozen value of a JSON text. @throws `SyntaxError` */
export function parseFrozen(text: string): unknown {
  const value: unknown = JSON.parse(text);
  freezeJson(value, 'a stored value');
  return value;
}
