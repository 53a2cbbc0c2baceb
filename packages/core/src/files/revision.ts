import { fstatSync, futimesSync, type BigIntStats } from 'node:fs';

/**
 * Distinguishes contents of a file by the file's number, size and times. A content hash would make `stat` and `append`
 * cost the whole file.
 */
export function revisionOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].map((part) => part.toString(36)).join('-');
}

/**
 * Gives a file that was just written a time after that of the content before it: a clock of file systems ticks every
 * few milliseconds only, and the numbers of files are used again, so two quick writes could look the same.
 */
export function setLaterThan(fd: number, before: BigIntStats | undefined): void {
  if (before === undefined) return;
  const { atimeNs, mtimeNs } = fstatSync(fd, { bigint: true });
  if (mtimeNs > before.mtimeNs) return;
  // Two microseconds, because times are passed in seconds as doubles, which are exact to a quarter of one.
  futimesSync(fd, Number(atimeNs) / 1e9, Number(before.mtimeNs + 2000n) / 1e9);
}
