import { crc32 } from 'node:zlib';

/** Returns the checksum of the texts of a row that belongs to this session. */
export function checksum(sessionId: number, ...texts: readonly string[]): number {
  return crc32(`${sessionId}\n${texts.join('\n')}`);
}
