import { crc32 } from 'node:zlib';

/** The checksum of what stands in a row of a session, which has this number. */
export function checksum(sessionId: number, ...texts: readonly string[]): number {
  return crc32(`${sessionId}\n${texts.join('\n')}`);
}
