import { crc32 } from 'node:zlib';

import { freezeJson, type JsonValue } from '../base/json.ts';

/** A string as SQLite can hold it, whatever is in it: as in JSON, without the quotes. */
export function encodeText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** What `encodeText` was given. @throws `SyntaxError` */
export function decodeText(encoded: string): string {
  return JSON.parse(`"${encoded}"`) as string;
}

/** The frozen value of a JSON text. @throws `SyntaxError` */
export function parseFrozen(text: string): JsonValue {
  const value: unknown = JSON.parse(text);
  freezeJson(value, 'a stored value');
  return value;
}

/** The checksum of what stands in a row of a session, which has this number. */
export function checksum(sessionId: number, ...texts: readonly string[]): number {
  return crc32(`${sessionId}\n${texts.join('\n')}`);
}
