import { isUtf8 } from 'node:buffer';

import { Refusal } from './refusal.ts';

const bom = Buffer.from([0xef, 0xbb, 0xbf]);

/** The number of bytes that decide whether a file is text. */
const probeBytes = 8 * 1024;

/** Returns the reason why these tools cannot show or change bytes as text; undefined if they can. */
export function whyNotText(bytes: Buffer): string | undefined {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return 'is encoded as UTF-16';
  return bytes.subarray(0, probeBytes).includes(0) ? 'is binary' : undefined;
}

export function withoutBom(bytes: Buffer): Buffer {
  return hasBom(bytes) ? bytes.subarray(bom.length) : bytes;
}

export function hasBom(bytes: Buffer): boolean {
  return bytes.subarray(0, bom.length).equals(bom);
}

/**
 * Returns the text of a file that is about to be changed. If `bytes` are only its beginning, they may end within a
 * character. @throws `Refusal`
 */
export function textToChange(shown: string, bytes: Buffer, isBeginning = false): string {
  const why = whyNotText(bytes) ?? (bytes.includes(0) ? 'is binary' : undefined);
  const ends = isBeginning ? [0, 1, 2, 3] : [0];
  const isText = ends.some((cut) => isUtf8(bytes.subarray(0, bytes.length - cut)));
  const fault = why ?? (isText ? undefined : 'is not encoded as UTF-8');
  if (fault !== undefined) throw new Refusal(`${shown} ${fault}: these tools do not rewrite it.`);
  return withoutBom(bytes).toString('utf8');
}

/** Returns text as bytes, with a byte order mark if the file had one. */
export function toBytes(text: string, hadBom: boolean): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return hadBom && !hasBom(bytes) ? Buffer.concat([bom, bytes]) : bytes;
}
