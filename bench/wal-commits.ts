import { readFileSync } from 'node:fs';

const headerBytes = 32;
const frameHeaderBytes = 24;

/** The content of the write-ahead log of a SQLite database (https://www.sqlite.org/fileformat2.html#walformat). */
export interface WalCommits {
  /** A random value that changes when the log is restarted. */
  readonly salt: bigint;
  readonly commits: number;
}

/** Counts the transactions in the log: each ends with a frame that gives the size of the database. */
export function walCommits(database: string): WalCommits {
  const log = readFileSync(`${database}-wal`);
  const frameBytes = frameHeaderBytes + log.readUInt32BE(8);
  const salt = log.readBigUInt64BE(16);
  let commits = 0;
  for (let at = headerBytes; at + frameBytes <= log.length; at += frameBytes) {
    // Frames after the end of this log are left over from an older one.
    if (log.readBigUInt64BE(at + 8) !== salt) break;
    if (log.readUInt32BE(at + 4) !== 0) commits += 1;
  }
  return { salt, commits };
}
